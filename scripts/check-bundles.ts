/**
 * Builds a page for each codec with bundlers that are not configured, and pages in one file, as a service worker needs
 * it, with codecs that they name. Prints how much a browser would load, and fails if a page contains another codec's
 * code or is too large. Run after a build.
 */
import { globSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { codecs } from '@ipfsz/codecs/all'
import { BUNDLERS, ONE_FILE_BUNDLERS } from '../test/support/bundles.ts'

const CODECS = Object.keys(codecs)

/** The most JavaScript of a page that reads one codec, without WebAssembly, in gzipped bytes. */
const LIMIT = 41_000

/** Pages in one file: a script, the codec that it names, and the most bytes it may take gzipped. */
const ONE_FILE = [
  {
    name: 'read with zstd',
    codec: 'zstd',
    limit: 80_000,
    script: `
      import { zstdDecoder } from '@ipfsz/codecs/zstd-decoder'
      import { GatewayPool, HttpSource } from '@ipfsz/core/http'
      import { ipfszReader } from '@ipfsz/core/reader'

      window.reader = (blockstore, root, url) => ipfszReader(
        { blockstore, sources: [new HttpSource({ root, pool: new GatewayPool([url]) })] },
        { codecs: [zstdDecoder()] }
      )
    `
  },
  ...[['zstd', 330_000, 180_000], ['gzip', 225_000, 60_000]].flatMap(([codec, files, blocks]) => [
    {
      name: `files with ${codec}`,
      codec,
      limit: files,
      script: `
        import { ${codec} } from '@ipfsz/codecs/${codec}'
        import { unmark } from '@ipfsz/core'
        import { ipfsz } from '@ipfsz/core/with-codecs'

        window.files = blockstore => [ipfsz({ blockstore }, { codecs: [${codec}()] }), unmark]
      `
    },
    {
      name: `blocks with ${codec}`,
      codec,
      limit: blocks,
      script: `
        import { CompressedBlockstore } from '@ipfsz/blockstore-compressed/with-codecs'
        import { ${codec} } from '@ipfsz/codecs/${codec}'

        window.blocks = inner => new CompressedBlockstore(inner, { codecs: [${codec}()] })
      `
    }
  ])
] as ReadonlyArray<{ name: string, codec: string, limit: number, script: string }>

/** The first bytes of a WebAssembly module, in base64. */
const WASM = 'AGFzbQ'

interface Sizes {
  /** What the page loads first. */
  main: number
  /** All JavaScript that it may load. */
  script: number
  /** The files with WebAssembly modules. */
  wasm: number
}

function measure (directory: string): Sizes {
  const sizes: Sizes = { main: 0, script: 0, wasm: 0 }
  const entry = /src="([^"]+)"/.exec(readFileSync(join(directory, 'index.html'), 'utf8'))?.[1] ?? ''

  for (const file of globSync('**/*.js', { cwd: directory })) {
    const text = readFileSync(join(directory, file))
    const size = gzipSync(text).byteLength

    // a module has its own file, except those of a few kilobytes, which are bundled with their code
    if (text.includes(WASM) && text.byteLength > 30_000) {
      sizes.wasm += size
    } else {
      sizes.script += size
    }

    if (basename(file) === basename(entry)) {
      sizes.main += size
    }
  }

  return sizes
}

const problems: string[] = []

for (const codec of CODECS) {
  const script = `
    import { ${codec} } from '@ipfsz/codecs/${codec}'
    window.decompress = (frame, size) => ${codec}().decompress(frame, { size })
  `

  for (const [bundler, bundle] of Object.entries(BUNDLERS)) {
    const { directory, sources } = await bundle(script)
    const { main, script: all, wasm } = measure(directory)
    const strangers = ofOthers(sources, codec, 'impl|generated|format')

    console.info(
      `${codec.padEnd(8)}${bundler.padEnd(9)}JavaScript ${kB(all)} kB (first ${kB(main)}), ` +
      `WebAssembly ${kB(wasm)} kB, gzipped`
    )

    if (all > LIMIT) {
      problems.push(`${codec}, ${bundler}: ${all} bytes of JavaScript, the limit is ${LIMIT}`)
    }

    problems.push(...strangers.map(source => `${codec}, ${bundler}: contains ${source}`))
    rmSync(directory, { recursive: true })
  }
}

for (const { name, codec, limit, script } of ONE_FILE) {
  for (const [bundler, bundle] of Object.entries(ONE_FILE_BUNDLERS)) {
    const { directory, sources } = await bundle(script)
    const size = gzipSync(readFileSync(join(directory, 'main.js'))).byteLength

    console.info(`${name.padEnd(17)} in one file, ${bundler.padEnd(9)}${kB(size)} kB gzipped`)

    if (size > limit) {
      problems.push(`${name} in one file, ${bundler}: ${size} bytes, the limit is ${limit}`)
    }

    // formats of frames are checked without their decoders, in a few kilobytes
    const strangers = ofOthers(sources, codec, 'impl|generated')
    problems.push(...strangers.map(source => `${name} in one file, ${bundler}: contains ${source}`))
    rmSync(directory, { recursive: true })
  }
}

/** The files with code of other codecs. */
function ofOthers (sources: readonly string[], codec: string, folders: string): string[] {
  return sources.filter(
    source => CODECS.some(other => other !== codec && new RegExp(`codecs/dist/(${folders})/${other}`).test(source))
  )
}

function kB (bytes: number): string {
  return (bytes / 1000).toFixed(1).padStart(5)
}

if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exitCode = 1
}
