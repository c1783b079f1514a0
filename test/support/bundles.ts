import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build as buildWithEsbuild } from 'esbuild'
import { build as buildWithVite } from 'vite'

const ROOT = join(import.meta.dirname, '../..')

/** A built page: its directory, with an index.html, and the source files that went into it. */
export interface Bundle {
  directory: string
  sources: string[]
}

/** Inside the repository, so that bundlers find the packages; git ignores it. */
function createDirectory (name: string): string {
  mkdirSync(join(ROOT, 'dist'), { recursive: true })

  return mkdtempSync(join(ROOT, 'dist', `${name}-`))
}

async function bundleWithEsbuild (script: string, splitting: boolean): Promise<Bundle> {
  const directory = createDirectory('esbuild')
  writeFileSync(join(directory, 'index.html'), '<!doctype html><script type="module" src="main.js"></script>\n')

  const { metafile } = await buildWithEsbuild({
    stdin: { contents: script, resolveDir: ROOT, sourcefile: 'main.js' },
    outdir: directory,
    entryNames: 'main',
    bundle: true,
    minify: true,
    format: 'esm',
    splitting,
    metafile: true,
    logLevel: 'error'
  })

  return { directory, sources: Object.keys(metafile.inputs) }
}

/** The script in one file, `main.js`, also for a service worker: `import()` is forbidden there. */
export async function bundleInOneFile (script: string): Promise<Bundle> {
  return bundleWithEsbuild(script, false)
}

/**
 * Bundlers that build a page, configured with nothing but paths.
 *
 * @param script - the text of its only script, a module
 */
export const BUNDLERS: Readonly<Record<'esbuild' | 'vite', (script: string) => Promise<Bundle>>> = {
  esbuild: async script => bundleWithEsbuild(script, true),

  async vite (script) {
    const source = createDirectory('vite')
    const directory = join(source, 'dist')
    const sources: string[] = []
    writeFileSync(join(source, 'index.html'), '<!doctype html><script type="module" src="main.js"></script>\n')
    writeFileSync(join(source, 'main.js'), script)

    await buildWithVite({
      root: source,
      configFile: false,
      logLevel: 'error',
      // relative, so that the page works wherever it is served
      base: './',
      plugins: [{ name: 'sources', buildEnd () { sources.push(...this.getModuleIds()) } }]
    })

    return { directory, sources }
  }
}
