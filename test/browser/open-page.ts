import { onTestFinished } from 'vitest'
import type * as page from './page.ts'

/** The globals of a page: its bytes and signals are instances of its own classes. */
export type PageWindow = Window & typeof globalThis

/** Counts of a page's workers. */
export interface WorkerList {
  /** How many were started. */
  started: number
  /** How many have not been terminated. */
  running: number
  /** The most that ran at one time. */
  most: number
}

/** A page that has loaded the codecs. */
export interface Page {
  window: PageWindow
  codecs: typeof page.codecs
  workers: WorkerList
  /** Copies bytes into an array of the page's own class. */
  own (bytes: Uint8Array): Uint8Array<ArrayBuffer>
}

export interface PageInit {
  /** The Content-Security-Policy of the page. */
  policy?: string
  /** Changes the page before it loads anything. */
  prepare?: (window: PageWindow) => void
}

/**
 * Open a page in an iframe. It loads its own modules, so it shares no modules, workers
 * or caches with other tests. It runs on the thread of the test, and its workers end
 * with the test.
 */
export async function openPage ({ policy = '', prepare = () => {} }: PageInit = {}): Promise<Page> {
  const frame = document.createElement('iframe')
  frame.srcdoc = `<meta http-equiv="Content-Security-Policy" content="${policy}">`
  const loaded = new Promise(resolve => { frame.addEventListener('load', resolve, { once: true }) })
  document.body.append(frame)
  onTestFinished(() => { frame.remove() })
  await loaded

  const window = frame.contentWindow as PageWindow
  const workers = watchWorkers(window)
  // vitest wraps every dynamic import in this helper, which our page lacks
  Object.assign(window, { __vitest_browser_runner__: { wrapDynamicImport: (load: () => unknown) => load() } })
  prepare(window)

  const { codecs } = await load(window, new URL('page.ts', import.meta.url))

  return { window, codecs, workers, own: bytes => new window.Uint8Array(bytes) }
}

/** Import a module in a page, through a script element, since a policy may forbid `eval`. */
async function load (window: PageWindow, url: URL): Promise<typeof page> {
  const { promise, resolve, reject } = Promise.withResolvers<typeof page>()
  const script = window.document.createElement('script')
  script.textContent = `import('${url}').then(loaded.resolve, loaded.reject)`
  Object.assign(window, { loaded: { resolve, reject } })
  window.document.head.append(script)

  return promise
}

/** Count the workers that a page starts and terminates. */
function watchWorkers (window: PageWindow): WorkerList {
  const list = { started: 0, running: 0, most: 0 }

  window.Worker = class extends window.Worker {
    constructor (url: string | URL, options?: WorkerOptions) {
      super(url, options)
      list.started++
      list.most = Math.max(list.most, ++list.running)
    }

    override terminate (): void {
      list.running--
      super.terminate()
    }
  }

  return list
}

/** How many tasks the thread of the test runs until a promise settles. */
export async function countTasks (done: Promise<unknown>): Promise<number> {
  const { port1, port2 } = new MessageChannel()
  let count = 0

  port1.addEventListener('message', () => {
    count++
    port2.postMessage(undefined)
  })
  port1.start()
  port2.postMessage(undefined)

  try {
    await done
  } finally {
    port1.close()
  }

  return count
}
