/**
 * Builds a page for each codec with bundlers that are not configured, prints how much a
 * browser would load, and fails if a page contains another codec's code or is too large.
 * Run after a build.
 */
import { globSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { codecs } from '@ipfsz/codecs/all'
import { BUNDLERS } from '../test/support/bundles.ts'

const CODECS = Object.keys(codecs)

/** The most JavaScript of a page that reads one codec, without WebAssembly, in gzipped bytes. */
const LIMIT = 40_000

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
    const strangers = sources.filter(
      source =>
        CODECS.some(other => other !== codec && new RegExp(`codecs/dist/(impl|generated|format)/${other}`).test(source))
    )

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

function kB (bytes: number): string {
  return (bytes / 1000).toFixed(1).padStart(5)
}

if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exitCode = 1
}
