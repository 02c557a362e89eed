import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder for one test. */
export class TemporaryFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'istio-cni-'));

  /** @param files contents by relative paths */
  constructor(files: Readonly<Record<string, string | undefined>> = {}) {
    for (const [name, content] of Object.entries(files)) if (content !== undefined) this.write(name, content);
  }

  at(...names: readonly string[]): string {
    return join(this.path, ...names);
  }

  write(name: string, content: string, mode = 0o644): void {
    mkdirSync(dirname(this.at(name)), { recursive: true });
    writeFileSync(this.at(name), content, { mode });
  }

  read(name: string): string {
    return readFileSync(this.at(name), 'utf8');
  }

  list(folder = '.'): readonly string[] {
    return readdirSync(this.at(folder)).sort();
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
