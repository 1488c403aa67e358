"""Certificates: whom a client trusts, and what it says of the others."""

import asyncio
import datetime
import ssl
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from cite_lsp.clients.client import ChatClient, ClientError
from cite_lsp.clients.making import ClientOptions, make_client
from tests.clients.conftest import ask

_BODY = b'{"choices": [{"message": {"content": "{\\"a\\": 1}"}, "finish_reason": "stop"}]}'


def written_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate of `localhost` that nobody else has signed, and its key."""
    pytest.importorskip("cryptography", reason="not run: cryptography, which makes certificates, is not installed")
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    paths = folder / "certificate.pem", folder / "key.pem"
    paths[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return paths


class Secured:
    """What a server with a certificate was asked."""

    def __init__(self, port: int, certificate: Path) -> None:
        self.port, self.certificate = port, certificate
        self.requests = 0


@pytest.fixture
async def secured(tmp_path: Path) -> AsyncIterator[Secured]:
    certificate, key = written_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        asked.requests += 1
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s" % (len(_BODY), _BODY))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    asked = Secured(server.sockets[0].getsockname()[1], certificate)
    async with server:
        yield asked


@pytest.fixture
async def at() -> AsyncIterator[Callable[[str], ChatClient]]:
    made: list[ChatClient] = []

    def one(base: str) -> ChatClient:
        made.append(make_client("openai", ClientOptions(model="m", base_url=base), environment={}))
        return made[-1]

    yield one
    for client in made:
        await client.close()


async def test_a_certificate_nobody_trusts(
    secured: Secured, at: Callable[[str], ChatClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    with pytest.raises(ClientError, match=r"not trusted .*SSL_CERT_FILE") as caught:
        await ask(at(f"https://localhost:{secured.port}/v1"))
    # it will not be trusted the next time either
    assert (caught.value.cause, caught.value.requests, secured.requests) == ("unreachable", 1, 0)


async def test_a_certificate_the_user_trusts(
    secured: Secured, at: Callable[[str], ChatClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(secured.certificate))
    assert (await ask(at(f"https://localhost:{secured.port}/v1"))).text == '{"a": 1}'
    with pytest.raises(ClientError, match="not trusted"):
        await ask(at(f"https://127.0.0.1:{secured.port}/v1"))  # the certificate is for another name
    assert secured.requests == 1


async def test_a_server_that_wants_a_certificate_asked_without(
    secured: Secured, at: Callable[[str], ChatClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cite_lsp.clients.wire._FIRST_PAUSE", 0.01)
    with pytest.raises(ClientError, match="no connection to the judge"):
        await ask(at(f"http://localhost:{secured.port}/v1"))
    assert secured.requests == 0
