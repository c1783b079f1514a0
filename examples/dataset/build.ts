import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Build the page. Any web server can serve it from the root of its origin. */
export async function buildPage (outdir: string = join(import.meta.dirname, 'dist')): Promise<void> {
  await build({
    // each in one file, because a service worker cannot load modules later
    entryPoints: {
      main: join(import.meta.dirname, 'src/main.ts'),
      'database-worker': join(import.meta.dirname, 'src/database-worker.ts'),
      worker: join(import.meta.dirname, '../media/src/worker.ts')
    },
    outdir,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2023',
    logLevel: 'error'
  })

  for (const name of ['index.html', 'style.css']) {
    await copyFile(join(import.meta.dirname, name), join(outdir, name))
  }

  await copyFile(
    fileURLToPath(import.meta.resolve('@sqlite.org/sqlite-wasm/sqlite3.wasm')),
    join(outdir, 'sqlite3.wasm')
  )
}

if (import.meta.main) {
  await buildPage()
}
