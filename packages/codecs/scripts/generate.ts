/**
 * Writes src/generated/: WebAssembly modules and the sources of workers, as strings in
 * JavaScript modules that are loaded on first use. As files, each bundler would need its own
 * configuration to find them.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import asc from 'assemblyscript/asc'
import { build } from 'esbuild'

const SRC = join(import.meta.dirname, '../src')
const ASSEMBLY = join(import.meta.dirname, '../assembly')
const GENERATED = join(SRC, 'generated')

/** The WebAssembly modules, and the generated JavaScript (glue) of those that need it to be called. */
const MODULES = [
  { name: 'zstd', from: '@bokuweb/zstd-wasm', wasm: '../esm/zstd.wasm', glue: '../esm/zstd.js' },
  { name: 'brotli-compress', from: 'brotli-wasm', wasm: 'pkg.web/brotli_wasm_bg.wasm', glue: 'pkg.web/brotli_wasm.js' },
  {
    name: 'brotli-decompress',
    from: 'brotli-dec-wasm',
    wasm: 'pkg/brotli_dec_wasm_bg.wasm',
    glue: 'pkg/brotli_dec_wasm.js'
  },
  { name: 'lz4', from: 'lz4-wasm/lz4_wasm_bg.wasm', wasm: 'lz4_wasm_bg.wasm' }
]

/** The implementations that run in workers, files of impl/. */
const WORKERS = [
  'zstd-wasm',
  'zstd-js',
  'gzip-js',
  'lz4-wasm',
  'lz4-js',
  'lzo-js',
  'brotli-compress-wasm',
  'brotli-decompress-wasm',
  'snappy-wasm',
  'snappy-js'
]

const HEADER = '// written by scripts/generate.ts\n'

/** Bundle as a script, since workers and glue have no modules. */
async function bundle (contents: string, options: { globalName?: string }): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: SRC, loader: 'ts' },
    alias: {
      '#platform': join(SRC, 'platform/browser.ts'),
      '#platform/crc32': join(SRC, 'platform/crc32-browser.ts')
    },
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    // WebAssembly modules are passed in compiled, never fetched
    define: { 'import.meta.url': '""' },
    ...options
  })

  return outputFiles[0].text.trim()
}

function write (name: string, text: string): void {
  writeFileSync(join(GENERATED, `${name}.ts`), HEADER + text)
}

function modules (...base64: string[]): string {
  return `export const modules = [${base64.map(text => `'${text}'`).join(', ')}]\n`
}

rmSync(GENERATED, { recursive: true, force: true })
mkdirSync(GENERATED)

for (const { name, from, wasm, glue } of MODULES) {
  const directory = dirname(createRequire(import.meta.url).resolve(from))

  write(`${name}-module`, modules(readFileSync(join(directory, wasm)).toString('base64')))

  if (glue != null) {
    // in a function, so each call returns glue with its own state, for its own instance
    const code = await bundle(`import * as glue from ${JSON.stringify(join(directory, glue))}; export { glue }`, {
      globalName: 'generated'
    })
    write(
      `${name}-glue`,
      `// @ts-nocheck\nexport function createGlue (): unknown {\n${code}\nreturn generated.glue\n}\n`
    )
  }
}

/** Extract the base64 of a WebAssembly module from a file of hysnappy, which does not export it. */
function snappyModule (file: string): string {
  const text = readFileSync(join(dirname(fileURLToPath(import.meta.resolve('hysnappy'))), file), 'utf8')
  const [, base64] = /wasm64 = '([\w+/=]+)'/.exec(text) ?? []

  if (base64 == null) {
    throw new Error(`No WebAssembly module found in hysnappy's ${file}`)
  }

  return base64
}

write('snappy-module', modules(snappyModule('compress.js'), snappyModule('uncompress.js')))

/** Compile a module of our own: what searches in megabytes is slow in JavaScript until it has run for a while. */
async function ownModule (name: string, features: string[] = []): Promise<string> {
  let module = new Uint8Array(0)
  const { error, stderr } = await asc.main(
    [
      `${name}.ts`, '-O3', '--converge', '--noAssert', '--runtime', 'stub', '--use', 'abort=',
      '--outFile', `${name}.wasm`, ...features
    ],
    {
      readFile: (name, directory) => readOrNull(join(ASSEMBLY, directory, name)),
      writeFile: (_, contents) => { module = new Uint8Array(contents as Uint8Array) },
      listFiles: () => []
    }
  )

  if (error != null) {
    throw new Error(stderr.toString(), { cause: error })
  }

  return Buffer.from(module).toString('base64')
}

function readOrNull (path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // the compiler tries several names
    return null
  }
}

write('delta-module', modules(await ownModule('delta')))
write('filters-module', modules(await ownModule('filters', ['--enable', 'simd'])))
write('strings-module', modules(await ownModule('strings', ['--enable', 'simd'])))

for (const name of WORKERS) {
  const source = await bundle(`
    import { create } from './impl/${name}.ts'
    import { serve } from './workers/serve.ts'
    serve(create)
  `, {})
  write(`${name}-worker`, `export const source = ${JSON.stringify(source)}\n`)
}
