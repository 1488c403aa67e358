const LIMIT = 5;
const WINDOW = 3 * 60 * 1000;

/** Counts the server's crashes: five within three minutes, and it is left alone until somebody asks for it. */
export class Crashes {
  private times: number[] = [];
  private readonly now: () => number;

  constructor(now: () => number = Date.now) {
    this.now = now;
  }

  /** Notes a crash. The pause in milliseconds before the server is started again; undefined when it is not. */
  next(): number | undefined {
    const now = this.now();
    this.times = [...this.times.filter((time) => now - time < WINDOW), now];
    return this.times.length < LIMIT ? 200 * 2 ** (this.times.length - 1) : undefined;
  }

  forget(): void {
    this.times = [];
  }
}
