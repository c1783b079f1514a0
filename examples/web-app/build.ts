import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import type { Plugin, Rolldown } from 'vite'

/** The directory of the built page. */
export const DIRECTORY = `${import.meta.dirname}/dist`

/** Build the page. Any web server can serve it, under any path. */
export async function buildPage (outDir: string = DIRECTORY): Promise<void> {
  await build({
    root: import.meta.dirname,
    configFile: false,
    base: './',
    logLevel: 'error',
    plugins: [costs(), serviceWorker()],
    // nothing inline, so that the script policy needs no exceptions
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 1000,
      rolldownOptions: {
        input: { index: `${import.meta.dirname}/index.html`, releases: `${import.meta.dirname}/releases.html` }
      }
    }
  })
}

/** cost.json: what the page takes to load, in bytes on the wire with gzip. */
function costs (): Plugin {
  return {
    name: 'ipfsz-demo:costs',

    generateBundle (_, bundle) {
      const outputs = Object.values(bundle)
      const chunks = outputs.filter(output => output.type === 'chunk')
      const start = withImports(chunks.filter(({ isEntry, name }) => isEntry && name === 'index'), bundle)
      const peers = chunks.filter(({ facadeModuleId }) => facadeModuleId?.endsWith('src/ipfs/peer.ts') === true)
      const network = withImports(peers, bundle)
      const zstd = chunks.filter(({ name }) => name === 'zstd-module' || name === 'zstd-wasm-worker')
      const assets = outputs.filter(({ fileName }) => /\.css$|^index\.html$/.test(fileName))

      this.emitFile({
        type: 'asset',
        fileName: 'cost.json',
        source: JSON.stringify({
          start: sizeOf([...start, ...assets]),
          codecs: { zstd: sizeOf(zstd) },
          network: sizeOf([...network].filter(chunk => !start.has(chunk))),
          all: sizeOf(outputs)
        })
      })
    }
  }
}

/** service-worker.js: lets the page open offline, and its players ask for ranges. */
function serviceWorker (): Plugin {
  return {
    name: 'ipfsz-demo:service-worker',

    async generateBundle (_, bundle) {
      // every codec and the network code: they cannot be loaded offline
      const files = ['./', 'releases.html', 'icon.svg', 'cost.json', ...Object.values(bundle)
        .map(({ fileName }) => fileName)
        .filter(fileName => /\.(?:js|css)$/.test(fileName))]

      const source = await bundleWorker({
        CACHE: JSON.stringify(`ipfsz-demo ${nameOf(Object.keys(bundle))}`),
        FILES: JSON.stringify(files)
      })

      this.emitFile({ type: 'asset', fileName: 'service-worker.js', source })
    }
  }
}

/** The service worker as one file: it cannot load modules later. */
async function bundleWorker (define: Record<string, string>): Promise<string> {
  const built = await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'error',
    define,
    build: {
      write: false,
      target: 'es2023',
      modulePreload: false,
      rolldownOptions: { input: `${import.meta.dirname}/src/worker/service-worker.ts`, output: { format: 'iife' } }
    }
  }) as Rolldown.RolldownOutput

  return built.output[0].code
}

function withImports (chunks: Rolldown.OutputChunk[], bundle: Rolldown.OutputBundle): Set<Rolldown.OutputChunk> {
  const found = new Set<Rolldown.OutputChunk>()
  const waiting = [...chunks]

  for (let chunk = waiting.pop(); chunk != null; chunk = waiting.pop()) {
    if (!found.has(chunk)) {
      found.add(chunk)
      waiting.push(...chunk.imports.map(name => bundle[name]).filter(output => output?.type === 'chunk'))
    }
  }

  return found
}

function sizeOf (outputs: Iterable<Rolldown.OutputChunk | Rolldown.OutputAsset>): number {
  return Array.from(outputs, output => gzipSync(output.type === 'chunk' ? output.code : output.source).byteLength)
    .reduce((sum, size) => sum + size, 0)
}

/** A name for a set of files, whose names are hashes of their content. */
function nameOf (names: string[]): string {
  return String([...names.join()].reduce((hash, letter) => (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0, 7))
}
