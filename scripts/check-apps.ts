/**
 * Packs packages as for publishing, builds the examples for React and Vite with them in an empty project, and opens
 * what was built in Chromium. Run after a build. Needs Chromium.
 */
import { spawn } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright'
import { PACKAGES } from '../rooms.ts'
import { CHROMIUM_FLAGS, findChromium } from '../test/support/chromium.ts'
import { serve } from '../test/support/serve.ts'
import { inEmptyProject } from './empty-project.ts'
import type { Browser, Page } from 'playwright'
import type { Project } from './empty-project.ts'

const ROOT = dirname(import.meta.dirname)
const EXAMPLES = ['react', 'vite'] as const
const OURS = [...new Set(['cli', 'site', ...PACKAGES.site, 'node', ...PACKAGES.node])]

/** A black PNG of 8 x 8 pixels. */
const SQUARE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAIAQAAAADsdIMmAAAAC0lEQVR42mNgQAUAABAAAaoZ+IIAAAAASUVORK5CYII=' +
  '',
  'base64'
)
const TEXT = 'the same words again and again, '.repeat(50_000)

/** What the examples install besides our packages, as npm takes it. */
function dependencies (): string[] {
  const needed = EXAMPLES.flatMap(name => {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(
      readFileSync(join(ROOT, 'examples', name, 'package.json'), 'utf8')
    ) as { dependencies?: Record<string, string>, devDependencies?: Record<string, string> }

    return Object.entries({ ...dependencies, ...devDependencies })
      .filter(([name]) => !/^(?:@ipfsz\/|ipfsz$|@types\/)/.test(name))
      .map(([name, range]) => `${name}@${range}`)
  })

  return [...new Set(needed)]
}

function copyExample (name: string, { directory }: Project): void {
  cpSync(join(ROOT, 'examples', name), join(directory, name), {
    recursive: true,
    filter: source => !/\/(?:node_modules|dist)$/.test(source)
  })
}

/** Serve what is in the repo of a project. */
async function startGateway ({ directory }: Project): Promise<{ url: string, stop: () => void }> {
  const gateway = spawn('node_modules/.bin/ipfsz', ['gateway', '--listen', '127.0.0.1:0'], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'inherit']
  })

  for await (const line of createInterface(gateway.stdout)) {
    const [url] = /http:\/\/\S+:\d+/.exec(line) ?? []

    if (url != null) {
      return { url, stop: () => { gateway.kill() } }
    }
  }

  throw new Error(`ipfsz gateway ended with ${gateway.exitCode}`)
}

async function newPage (browser: Browser): Promise<Page> {
  const page = await browser.newPage()
  // the machine may be busy
  page.setDefaultTimeout(180_000)

  return page
}

/** The built React app reads files from a gateway. */
async function useReactApp (
  browser: Browser,
  directory: string,
  addresses: Record<'text' | 'picture', string>
): Promise<void> {
  const { url, close } = await serve(join(directory, 'react/dist'))
  const page = await newPage(browser)

  try {
    await page.goto(url)
    await page.getByRole('textbox').fill('no CID')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('alert').waitFor()

    await page.getByRole('textbox').fill(addresses.text)
    await page.getByRole('button', { name: 'Show' }).click()
    await page.locator('pre').waitFor()

    if (await page.locator('pre').textContent() !== TEXT) {
      throw new Error('The React app shows another text')
    }

    await page.getByRole('textbox').fill(addresses.picture)
    await page.getByRole('combobox').selectOption('picture')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.waitForFunction(() => document.querySelector('img')?.naturalWidth === 8)

    // of a gateway that keeps silent, nothing is wanted any more once something else is shown
    const ended = page.waitForEvent('requestfailed')
    const asked = page.waitForRequest('**/ipfs/**')
    await page.route('**/ipfs/**', () => {})
    await page.getByRole('textbox').fill(addresses.text)
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('progressbar').waitFor()
    await asked
    await page.getByRole('textbox').fill('no CID')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('alert').waitFor()
    await ended
  } finally {
    close()
  }
}

/** The published Vite app is shown at the address of its CID. */
async function useSite (browser: Browser, cid: string, gateway: string): Promise<void> {
  const origin = `http://${cid}.ipfs.localhost:${new URL(gateway).port}`
  const page = await newPage(browser)

  await page.goto(`${origin}/`)
  // the loader loads the page again
  await page.getByText(`Served from ${new URL(origin).host}`).waitFor()
  await page.getByRole('link', { name: 'About' }).click()
  await page.getByRole('heading', { name: 'About' }).waitFor()

  const plain = await (await fetch(`${gateway}/ipfs/${cid}/about/index.html`)).text()

  if (!plain.includes('<h1>About</h1>')) {
    throw new Error('The page that was kept is not plain')
  }
}

// no peer outside of this machine is contacted
Object.assign(process.env, { IPFSZ_BOOTSTRAP: 'none' })

await inEmptyProject(OURS.map(name => join(ROOT, 'packages', name)), dependencies(), async project => {
  const { directory, run } = project
  const ipfsz = (...args: string[]): string => run('npx', '--no-install', 'ipfsz', ...args)
  process.env.IPFSZ_PATH = join(directory, 'repo')

  EXAMPLES.forEach(name => { copyExample(name, project) })
  writeFileSync(join(directory, 'words.txt'), TEXT)
  writeFileSync(join(directory, 'square.png'), SQUARE)
  const addresses = { text: ipfsz('add', '-Q', 'words.txt'), picture: ipfsz('add', '-Q', 'square.png') }

  const built = run('npx', '--no-install', 'vite', 'build', 'vite')
  const [cid] = /\bbafy\w+/.exec(built) ?? []

  if (cid == null) {
    throw new Error(`The plugin says no CID:\n${built}`)
  }

  const gateway = await startGateway(project)
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: CHROMIUM_FLAGS.map(flag => flag.startsWith('--host-resolver-rules=') ? `${flag}, EXCLUDE *.localhost` : flag)
  })

  try {
    process.env.VITE_GATEWAY = gateway.url
    run('npx', '--no-install', 'vite', 'build', 'react')
    await useReactApp(browser, directory, addresses)
    await useSite(browser, cid, gateway.url)
  } finally {
    await browser.close()
    gateway.stop()
  }

  console.info(`${EXAMPLES.length} examples are built from packed packages, and work in Chromium`)
})
