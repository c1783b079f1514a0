import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build as buildWithEsbuild } from 'esbuild'
import { build as buildWithRolldown } from 'rolldown'
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

  // of the files that were read, those of which something is left
  const sources = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([source]) => source)

  return { directory, sources }
}

/** Bundlers that put a script into one file, `main.js`, as a service worker needs it: `import()` is forbidden there. */
export const ONE_FILE_BUNDLERS: Readonly<Record<'esbuild' | 'rolldown', (script: string) => Promise<Bundle>>> = {
  esbuild: async script => bundleWithEsbuild(script, false),

  async rolldown (script) {
    const directory = createDirectory('rolldown')
    const source = join(directory, 'source.js')
    writeFileSync(source, script)

    const { output: [{ modules }] } = await buildWithRolldown({
      input: { main: source },
      platform: 'browser',
      logLevel: 'silent',
      output: { dir: directory, entryFileNames: '[name].js', format: 'esm', minify: true, codeSplitting: false }
    })
    const used = Object.entries(modules).filter(([, { renderedLength }]) => renderedLength > 0)

    return { directory, sources: used.map(([source]) => source) }
  }
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
