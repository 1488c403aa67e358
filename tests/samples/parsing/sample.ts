import type { Options } from './options';

@Injectable({ scope: 'root' })
export class Store<T> implements Base {
  private readonly limit: number = 3;
  name?: string;
  constructor(private http: Http, retries = 2, label?: string) {
    super();
  }
  // Loads one.
  @Memo(5)
  async load(id: string): Promise<T> {
    const found = (await this.http.get<T>(id)) as T;
    if (found instanceof Error) {
      throw new NotFound("gone");
    }
    return found;
  }
  abstract close(): void;
}
export interface Options {
  timeout: number;
  retry(count: number): boolean;
}
export enum Level { Low = 1, High = 'high' }
type Mode = 'fast' | 'slow';
namespace Inner {
  export function twice(x: number = 1): number { return x * 2; }
}
declare function extern(a: string): void;
const view = <const>["a"];
const port = process.env.PORT ?? "80";
async function guarded() {
  try {
    await go({ depth: 1 });
  } catch (error) {
    while (open) log(error);
  }
}
