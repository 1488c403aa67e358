"""Serves a llama model of 140 KB with random weights over HTTP on loopback, by llama.cpp itself.

    python llama_server.py FOLDER

writes the model into the folder, says its address in one line, and serves until its standard input ends. Where
llama.cpp cannot be had it says why on standard error and ends with status 77.

The model knows nothing. Its weights are random but for one direction of the embedding, in which all words are the same:
by it the marks that end strings and lists are made likely, so that replies are short, and bytes that are no ASCII
impossible, so that they are text.
"""

import sys
from pathlib import Path

NOT_RUN = 77
WIDTH, INNER, CONTEXT = 32, 64, 32_768
LIKELY = {'"': 1.2, "]": 1.2, "}": 1.2, ",": 1.0, "1": 1.2, "2": 1.2, "3": 1.2, "▁": -0.5, "`": -4.0}
TEMPLATE = "{% for message in messages %}[{{ message.role }}] {{ message.content }}\n{% endfor %}[assistant] "


def write_model(path: Path) -> None:
    """Write the model as a GGUF file: a tokenizer of characters and bytes, one layer, random weights."""
    import gguf
    import numpy as np

    letters = ["▁", *map(chr, range(33, 127))]
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *letters]
    kind = gguf.TokenType
    kinds = [kind.UNKNOWN, kind.CONTROL, kind.CONTROL, *[kind.BYTE] * 256, *[kind.NORMAL] * len(letters)]

    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("random")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(2)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // 2)
    writer.add_vocab_size(len(tokens))
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(TEMPLATE)

    random = np.random.default_rng(7)

    def drawn(*shape: int) -> "np.ndarray[tuple[int, ...], np.dtype[np.float32]]":
        return (random.standard_normal(shape) * 0.5).astype(np.float32)

    embedding, output, ones = drawn(len(tokens), WIDTH), drawn(len(tokens), WIDTH), np.ones(WIDTH, np.float32)
    embedding[:, 0] = 3.0
    output[:, 0] = 0.0
    for mark, weight in LIKELY.items():
        output[tokens.index(mark), 0] = weight
    output[3:259, :] = 0.0
    output[3:259, 0] = -10.0
    writer.add_tensor("token_embd.weight", embedding)
    writer.add_tensor("output.weight", output)
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        writer.add_tensor(f"{name}.weight", ones)
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        writer.add_tensor(f"blk.0.{name}.weight", drawn(WIDTH, WIDTH))
    for name in ("ffn_gate", "ffn_up"):
        writer.add_tensor(f"blk.0.{name}.weight", drawn(INNER, WIDTH))
    writer.add_tensor("blk.0.ffn_down.weight", drawn(WIDTH, INNER))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main(folder: str) -> int:
    try:
        import gguf  # noqa: F401
        import xllamacpp
    except Exception as error:  # noqa: BLE001 - a library that does not fit the machine fails in many ways
        print(error, file=sys.stderr)
        return NOT_RUN
    path = Path(folder) / "random.gguf"
    write_model(path)
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = CONTEXT
    parameters.n_parallel = 1
    parameters.warmup = False
    parameters.fit_params = False
    parameters.cpuparams.n_threads = 1
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
