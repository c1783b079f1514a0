import { equal } from 'node:assert/strict'
import { execSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ipfsz } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { chromium } from 'playwright'
import { wav } from '../test/interop/clients/media.ts'
import { addSite, startTestGateway } from '../test/pages/worker-gateway.ts'
import { CHROMIUM_FLAGS, findChromium } from '../test/support/chromium.ts'
import { serve } from '../test/support/serve.ts'
import type { Example } from './examples.ts'
import type { Browser, Page } from 'playwright'

const ROOT = dirname(import.meta.dirname)

/** What the gateway has, as the documents name it. */
const FILES = {
  'index.html': '<!doctype html><link rel="icon" href="data:,"><title>The directory</title>',
  'data.json': JSON.stringify({ words: 'again and '.repeat(100) }),
  // Chromium looks at the bytes: not every build of it has a decoder for MP4
  'film.mp4': wav(2)
}

interface Stage {
  code: string
  /** The blocks of the document in a language, in their order. */
  blocks: (language: string) => string[]
  /** The CIDs of `FILES` and of its `data.json`. */
  root: string
  data: string
  gateway: string
  /** Write a file into the directory of the project. */
  write: (path: string, content: string) => void
  /** Run a command there. */
  run: (command: string) => void
  /** Open a page with some HTML, on the origin of what is in `public`, in a new profile or in that of a page. */
  open: (html: string, other?: Page) => Promise<Page>
}

/** What each document promises of its program for pages. */
const USES: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  async 'docs/guide/use-in-a-dapp.md' ({ code, data, gateway, write, run, open }) {
    write('page.ts', code)
    write('main.ts', 'import { readFile } from "./page.ts"\nObject.assign(globalThis, { readFile })\n')
    run('npx esbuild main.ts --bundle --format=esm --splitting --outdir=public')
    const page = await open('<script type="module" src="/main.js"></script>')
    const read = await page.evaluate(`readFile('${data}', '${gateway}').then(blob => blob.text())`)
    equal(read, FILES['data.json'])
  },

  async 'docs/guide/service-worker.md' ({ code, blocks, root, gateway, write, run, open }) {
    write('worker.js', code.replace('https://trustless-gateway.link', gateway))
    blocks('sh').filter(command => command.includes('esbuild worker.js')).forEach(run)
    const [register, use, wait] = blocks('html').map(html => html.replaceAll('MARKED', root))

    const first = await open(register)
    await first.evaluate(async () => { await navigator.serviceWorker.ready })
    const second = await open(use, first)
    await second.waitForFunction(() => Math.round(document.querySelector('video')?.duration ?? 0) === 2)
    await second.locator('a').click()
    equal(await second.title(), 'The directory')

    const fetching = await open(wait.replace('</script>', 'document.title = await response.text()\n</script>'))
    await fetching.waitForFunction(() => document.title !== '')
    equal(await fetching.title(), FILES['data.json'])
  }
}

/**
 * Run a program of a document in Chromium, with the packages that are installed above a directory, and with a gateway
 * on loopback in place of a public one.
 *
 * @returns what goes wrong
 */
export async function runInPage (directory: string, { file, code }: Example): Promise<string | undefined> {
  const store = new MemoryBlockstore()
  const fs = ipfsz({ blockstore: store })
  const root = await addSite(fs, FILES)
  const data = (await Array.fromAsync(fs.ls(root))).find(({ name }) => name === 'data.json')?.cid
  mkdirSync(join(directory, 'public'), { recursive: true })
  const [gateway, site] = await Promise.all([startTestGateway(store), serve(join(directory, 'public'))])
  const browser = await chromium.launch({ executablePath: findChromium(), args: CHROMIUM_FLAGS })
  const errors: string[] = []
  const write = (path: string, content: string): void => { writeFileSync(join(directory, path), content) }
  let pages = 0

  try {
    await USES[file]({
      code: code.join('\n'),
      blocks: language => fenced(readFileSync(join(ROOT, file), 'utf8'), language),
      root: `${root}`,
      data: `${data}`,
      gateway: gateway.url,
      write,
      run: command => {
        execSync(command, { cwd: directory, env: { ...process.env, npm_config_offline: 'true' }, stdio: 'pipe' })
      },
      open: async (html, other) => {
        const name = `page-${pages++}.html`
        write(`public/${name}`, `<!doctype html><link rel="icon" href="data:,">${html}`)
        const page = await newPage(browser, other)
        page.on('pageerror', err => { errors.push(String(err)) })
        page.on('console', message => {
          if (message.type() === 'error') {
            errors.push(message.text())
          }
        })
        await page.goto(`${site.url}${name}`)

        return page
      }
    })
  } catch (err) {
    errors.push(String(err))
  } finally {
    await browser.close()
    await gateway.close()
    site.close()
  }

  return errors.length === 0 ? undefined : errors.join('\n')
}

async function newPage (browser: Browser, other?: Page): Promise<Page> {
  const context = other?.context() ?? await browser.newContext()
  const page = await context.newPage()
  // the machine may be busy
  page.setDefaultTimeout(180_000)

  return page
}

/** The contents of the fenced blocks in a language. */
function fenced (text: string, language: string): string[] {
  return [...text.matchAll(/^ *```(\w+).*\n([^]*?)^ *```$/gm)]
    .filter(([, name]) => name === language)
    .map(([, , content]) => content)
}
