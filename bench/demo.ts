import { writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright'
import { buildPage } from '../examples/web-app/build.ts'
import { startDemo } from '../examples/web-app/demo.ts'
import { csv } from '../examples/web-app/src/page/samples.ts'
import { CHROMIUM_FLAGS, findChromium } from '../test/support/chromium.ts'
import { progress, rounded } from './benchmark.ts'
import { withDirectory } from './support/temporary.ts'
import type { Benchmark, Row } from './benchmark.ts'
import type { CDPSession, Page } from 'playwright'

const MB = 1e6
/** Approximate bytes in a row of the table. */
const ROW = 40
const NAME = 'weather.csv'
/** How long adding or reading may take, in milliseconds. */
const PATIENCE = 300_000

/** Records times in the page, in ms: of tasks longer than 50, of the drop, and when the file was stored. */
const WATCH = `
  window.tasks = []
  new PerformanceObserver(list => {
    tasks.push(...list.getEntries().map(({ duration }) => duration))
  }).observe({ type: 'longtask' })
  document.addEventListener('drop', () => { window.dropped = performance.now() }, { capture: true })
  new MutationObserver(() => {
    if (/is stored in/.test(document.getElementById('status').textContent)) {
      window.stored ??= performance.now()
    }
  }).observe(document.getElementById('status'), { childList: true })
`

/** Drops a table into the built demo page, which stores it in an IndexedDB on disk. */
export const benchmark: Benchmark = {
  question: 'how fast the demo page adds a 200 MB table and reads it back, and how long its longest task takes',
  inputs: [],

  async run ({ smoke }) {
    return withDirectory(async directory => {
      const size = (smoke ? 2 : 200) * MB
      const table = join(directory, NAME)
      progress('Building the page, and making the table')
      await buildPage(join(directory, 'page'))
      // a few rows more, since they differ in length
      await writeFile(
        table,
        new Uint8Array(await (await csv(Math.ceil(size / ROW * 1.1))).slice(0, size).arrayBuffer())
      )

      const rows: Row[] = []
      const cids = new Set<string>()

      for (let round = 1; round <= (smoke ? 1 : 3); round++) {
        progress(`Round ${round}`)
        const profile = join(directory, `profile-${round}`)
        const { row, cid } = await measurePage(join(directory, 'page'), profile, table, size)
        rows.push({ round, ...row })
        cids.add(cid)
      }

      return [
        { title: `${size / MB} MB of CSV, in frames of 1 MiB, in Chromium`, rows },
        {
          title: 'What was added (made by the page itself)',
          rows: [...cids].map(cid => ({ file: NAME, bytes: size, CID: cid }))
        }
      ]
    })
  }
}

async function measurePage (
  outDir: string,
  profile: string,
  table: string,
  size: number
): Promise<{ row: Row, cid: string }> {
  const demo = await startDemo(outDir)
  const [load] = loadavg()
  // a profile on disk, because IndexedDB is in memory without one
  const context = await chromium.launchPersistentContext(
    profile,
    { executablePath: findChromium(), args: CHROMIUM_FLAGS, acceptDownloads: true }
  )

  try {
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE)
    await page.goto(demo.url)
    await page.waitForSelector('body[data-ready]')
    await page.evaluate(WATCH)

    const session = await context.newCDPSession(page)
    const trace = await startTrace(session)

    await drop(page, session, table)
    const view = page.locator('#view')
    await view.getByRole('heading', { level: 3, name: NAME, exact: true }).waitFor()
    const adding = await page.evaluate<{ milliseconds: number, longest: number }>(
      '({ milliseconds: stored - dropped, longest: Math.max(0, ...tasks.splice(0)) })'
    )

    await page.getByRole('button', { name: 'Download' }).click()
    const read = await view.locator('.outcome').getByText(/^Read /).innerText()
    const longestRead = await page.evaluate<number>('Math.max(0, ...tasks.splice(0))')
    const [, seconds] = / in ([\d.]+) s/.exec(read) ?? []
    const { tasks, longest: processor } = await trace()
    const { usage } = await page.evaluate(async () => navigator.storage.estimate())

    const row = {
      codec: `${await page.locator('#codec').inputValue()} ${await page.locator('#level').inputValue()}`,
      'add, MB/s': rounded(size / MB / adding.milliseconds * 1000),
      'read, MB/s': rounded(size / MB / Number(seconds)),
      'longest task of adding, ms': longest(adding.longest),
      'longest task of reading, ms': longest(longestRead),
      'longest task, ms of processor time': rounded(processor),
      tasks,
      'stored, MB': rounded((usage ?? 0) / MB),
      'load before': rounded(load)
    }

    return { row, cid: await view.locator('.copyable code').first().innerText() }
  } finally {
    await context.close()
    await demo.close()
  }
}

interface TraceEvent {
  name: string
  pid: number
  tid: number
  /** Processor time in microseconds. */
  tdur?: number
  args: { name?: string }
}

/**
 * Record the processor time of every task of the page's thread: on a busy machine, a task takes
 * longer than its processor time.
 */
async function startTrace (session: CDPSession): Promise<() => Promise<{ tasks: number, longest: number }>> {
  const events: TraceEvent[] = []

  session.on('Tracing.dataCollected', ({ value }) => { events.push(...value as unknown as TraceEvent[]) })
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel'] }
  })

  return async () => {
    const complete = new Promise(resolve => { session.once('Tracing.tracingComplete', resolve) })
    await session.send('Tracing.end')
    await complete

    const threads = new Set(
      events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(threadOf)
    )
    const tasks = events.filter(
      event => event.name.endsWith('RunTask') && event.tdur != null && threads.has(threadOf(event))
    )

    return { tasks: tasks.length, longest: tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur / 1000), 0) }
  }
}

function threadOf ({ pid, tid }: TraceEvent): string {
  return `${pid}/${tid}`
}

/** The longest task. The browser reports only tasks of 50 ms and more. */
function longest (milliseconds: number): string | number {
  return milliseconds === 0 ? '< 50' : Math.round(milliseconds)
}

/** Drag a file from the disk onto the page, as the system does. */
async function drop (page: Page, session: CDPSession, file: string): Promise<void> {
  const { x, y } = await page.locator('#drop').boundingBox() ?? { x: 0, y: 0 }

  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send(
      'Input.dispatchDragEvent',
      { type, x: x + 20, y: y + 20, data: { items: [], files: [file], dragOperationsMask: 1 } }
    )
  }
}
