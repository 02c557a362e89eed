import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ContainerImage {
  /** With the registry, as `test.local/name:tag`. */
  readonly reference: string;
  /** The folder that its containers see as their root. */
  readonly root: string;
}

/** Writes an image of one layer as an archive that container runtimes import; equal contents give an equal one. */
export function writeImage({ reference, root }: ContainerImage, archive: string): void {
  const work = mkdtempSync(join(tmpdir(), 'image-'));
  const pack = (folder: string, file: string, ...names: readonly string[]): void => {
    const options = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
    execFileSync('tar', ['-C', folder, ...options, '-cf', file, ...names]);
  };
  try {
    pack(root, join(work, 'layer.tar'), '.');
    const layer = `sha256:${sha256(readFileSync(join(work, 'layer.tar')))}`;
    const config = JSON.stringify({
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      os: 'linux',
      config: { Env: ['PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'] },
      rootfs: { type: 'layers', diff_ids: [layer] },
    });
    const configFile = `${sha256(Buffer.from(config))}.json`;
    writeFileSync(join(work, configFile), config);
    const manifest = [{ Config: configFile, RepoTags: [reference], Layers: ['layer.tar'] }];
    writeFileSync(join(work, 'manifest.json'), JSON.stringify(manifest));
    pack(work, join(work, 'image.tar'), 'manifest.json', configFile, 'layer.tar');
    renameSync(join(work, 'image.tar'), archive);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function sha256(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
