import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'

/** Build the page. Any web server can serve it from the root of its origin. */
export async function buildPage (outdir: string = join(import.meta.dirname, 'dist')): Promise<void> {
  await build({
    // each in one file, because a service worker cannot load modules later
    entryPoints: ['main', 'worker'].map(name => join(import.meta.dirname, 'src', `${name}.ts`)),
    outdir,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2023',
    logLevel: 'error'
  })
  await copyFile(join(import.meta.dirname, 'index.html'), join(outdir, 'index.html'))
}

if (import.meta.main) {
  await buildPage()
}
