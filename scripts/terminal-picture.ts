/**
 * Draws docs/terminal.svg, the recording at the top of the README: what the command prints on a terminal, really run
 * on a made table and its next version. Run after a build: `node scripts/terminal-picture.ts`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { main } from '../packages/cli/dist/main.js'

const COLUMNS = 92
const LINE_HEIGHT = 20
const CHARACTER_WIDTH = 8.4
const PADDING = 16
/** Seconds that each command stays alone before the next is typed. */
const PAUSE = 2.5

/** The days of a year, with numbers that grow as those of a real table do. */
function table (days: number): string {
  const rows = Array.from({ length: days * 240 }, (_, i) => {
    const date = new Date(Date.UTC(2026, 0, 1, 0, i * 6)).toISOString()

    return `${date},station-${i * 7 % 12},${(20 + 8 * Math.sin(i / 240)).toFixed(2)},${(i * 37 % 1013).toFixed(1)}`
  })

  return `time,station,temperature,pressure\n${rows.join('\n')}\n`
}

/** Run the command as on a terminal. Returns the lines that it prints. */
async function run (directory: string, line: string, shown: number): Promise<string[]> {
  let printed = ''
  const stream = (isTTY: boolean): Writable & { isTTY: boolean, columns: number } => Object.assign(new Writable({
    write (bytes, _encoding, done) {
      printed += String(bytes)
      done()
    }
  }), { isTTY, columns: COLUMNS })

  const code = await main(['node', 'ipfsz', ...line.split(' ').slice(1)], {
    stdin: stream(false) as never,
    stdinIsPiped: false,
    stdout: stream(true),
    // no bars
    stderr: stream(false),
    env: { IPFSZ_PATH: join(directory, 'repo'), IPFSZ_BOOTSTRAP: 'none' },
    cwd: directory,
    now: () => Date.UTC(2026, 0, 1),
    signal: new AbortController().signal
  })

  if (code !== 0) {
    throw new Error(`${line} ended with ${code}: ${printed}`)
  }

  return printed.trimEnd().split('\n').slice(0, shown)
}

function escape (text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function draw (steps: ReadonlyArray<{ typed: string, printed: readonly string[] }>): string {
  const lines = steps.flatMap(({ typed, printed }, step) => [
    { text: `$ ${typed}`, kind: 'typed', step },
    ...printed.map(text => ({ text, kind: 'printed', step })),
    { text: '', kind: 'printed', step }
  ])
  const [width, height] = [COLUMNS * CHARACTER_WIDTH + 2 * PADDING, (lines.length - 1) * LINE_HEIGHT + 2 * PADDING]
  const texts = lines.map(({ text, kind, step }, i) =>
    `<text class="${kind} step${step}" x="${PADDING}" y="${PADDING + (i + 0.7) * LINE_HEIGHT}">${escape(text)}</text>`)
  const delays = steps.map((_, step) => `.step${step}{animation-delay:${step * PAUSE}s}`)

  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">
<title>Adding a table and its next version with ipfsz</title>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;animation:show .3s both}
.typed{fill:#8ae234;font-weight:bold}.printed{fill:#e6e6e6}
${delays.join('')}
@keyframes show{from{opacity:0}}
@media (prefers-reduced-motion:reduce){text{animation:none}}
</style>
<rect width="100%" height="100%" rx="8" fill="#1d1f21"/>
${texts.join('\n')}
</svg>
`
}

const directory = mkdtempSync(join(tmpdir(), 'ipfsz-picture-'))

try {
  const file = join(directory, 'weather.csv')
  const steps: Array<{ typed: string, printed: string[] }> = []

  const show = async (line: string, shown = Infinity): Promise<string[]> => {
    const printed = await run(directory, line, shown)
    steps.push({ typed: line, printed })

    return printed
  }

  writeFileSync(file, table(120))
  await show('ipfsz add --base latest weather.csv')
  writeFileSync(file, table(121))
  const added = await show('ipfsz add --base latest weather.csv')
  const [cid = ''] = /bag\w+/.exec(added.join('\n')) ?? []
  await show(`ipfsz cat ${cid}`.replace(/$/, ' --length 80'), 2)
  writeFileSync(join(import.meta.dirname, '../docs/terminal.svg'), draw(steps))
} finally {
  rmSync(directory, { recursive: true })
}
