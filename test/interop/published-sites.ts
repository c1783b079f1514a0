/** Sites as people build them, published by `ipfsz site add`, and how to see in a browser that they work. */
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { build } from 'vite'
import { builtSite } from '../demo/built-site.ts'
import { makeSandbox } from '../integration/run-cli.ts'
import { startKubo } from '../support/network-kubo.ts'
import { FILES, page } from './published-site.ts'
import type { Sandbox } from '../integration/run-cli.ts'
import type { KuboNode } from '../support/network-kubo.ts'

const ROOT = join(import.meta.dirname, '../..')

/** A domain whose DNSLink leads to what the Kubo publishes. Browsers take it for this machine. */
export const DOMAIN = 'site.localhost'

/** What `ipfsz site add` says. */
export interface Report {
  cid: string
  size: number
  storedSize: number
  loaderSize: number
  workerSize: number
}

export type SiteName = 'documents' | 'app' | 'photos' | 'small' | 'next'

/** Sites on the gateway of a Kubo. */
export interface PublishedSites {
  kubo: KuboNode
  sites: Readonly<Record<SiteName, Report>>
  /** The CID of the documents, stored plain. */
  plain: string
  close: () => Promise<void>
}

/** What a page of a site shows. */
export interface Look {
  url: string
  title: string
  heading: string
  /** Pictures that are loaded. */
  pictures: number
  color: string
}

/** The steps of a visit: paths, and what is shown there. */
export interface Visit {
  site: SiteName
  /** Opened first. */
  deep: string
  deepLook: Partial<Look>
  /** The selector of a link on that page, where it leads, and what is shown there. */
  link: string
  linked: string
  linkedLook: Partial<Look>
}

const COLOR = 'rgb(1, 2, 3)'

/** A name with everything that means something in an address, in HTML or in a shell. */
const HOSTILE = '50% <b>"&amp;\'#?\\ $(x)\n\u{1f4f7}'

export const VISITS: readonly Visit[] = [
  {
    site: 'documents',
    deep: '/guide/start.html',
    deepLook: { heading: 'Start: two machines share a file' },
    link: 'a[href$="/benchmarks.html"]',
    linked: '/benchmarks.html',
    linkedLook: { heading: 'Benchmarks' }
  },
  {
    site: 'app',
    deep: '/about/',
    deepLook: { heading: 'About' },
    link: 'a[href="/"]',
    linked: '/',
    linkedLook: { heading: 'A Vite app on IPFS' }
  },
  {
    site: 'photos',
    deep: `/${encodeURIComponent(HOSTILE)}/#last`,
    deepLook: { heading: '2025', pictures: 2, color: COLOR },
    link: 'a',
    linked: '/',
    linkedLook: { heading: 'Photos', pictures: 1, color: COLOR }
  },
  {
    site: 'small',
    deep: '/docs/page.html?a=b#c',
    deepLook: { title: 'A page', color: COLOR },
    link: 'a',
    linked: '/',
    linkedLook: { title: 'Home & <more>', color: COLOR }
  }
]

/** Build sites, publish them, and give them to a Kubo without a network. */
export async function publishSites (): Promise<PublishedSites> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-sites-'))
  const sandbox = makeSandbox(directory)
  const starting = startKubo({
    offline: true,
    dnsLinks: [DOMAIN],
    // the worker asks for blocks at the name
    config: { 'Gateway.PublicGateways': { [DOMAIN]: { Paths: ['/ipfs'] } } }
  })

  try {
    const documents = await builtSite()
    await Promise.all([buildApp(join(directory, 'app')), writePhotos(join(directory, 'photos'))])
    await writeFiles(join(directory, 'small'), FILES)
    await writeFiles(join(directory, 'next'), { ...FILES, 'index.html': page('Home again', 'changed') })
    const add = async (name: string): Promise<Report> => publish(sandbox, name)
    const sites = {
      documents: await add(documents),
      app: await add('app'),
      photos: await add('photos'),
      small: await add('small'),
      next: await add('next')
    }
    const plain = (await sandbox.run(['add', '-Q', '--codec', 'none', documents])).stdout.toString().trim()
    const kubo = await starting
    const cids = [plain, ...Object.values(sites).map(({ cid }) => cid)]
    await sandbox.run(['car', 'export', ...cids, '-o', 'sites.car'])
    await kubo.ipfs(['dag', 'import', '--pin-roots=false', join(directory, 'sites.car')])

    return { kubo, sites, plain, close: kubo.stop }
  } catch (err) {
    await (await starting).stop()
    throw err
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function publish (sandbox: Sandbox, path: string): Promise<Report> {
  const { stdout, stderr } = await sandbox.run(['site', 'add', path, '--level', '3', '--json', '--keep', '/crawled/'])

  if (stderr !== '') {
    throw new Error(stderr)
  }

  return JSON.parse(stdout.toString()) as Report
}

/** As `vite build` does, without the plugin that publishes it: scripts/check-apps.ts runs that. */
async function buildApp (outDir: string): Promise<void> {
  const root = join(ROOT, 'examples/vite')

  await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: {
      outDir,
      emptyOutDir: true,
      rolldownOptions: { input: ['index.html', 'about/index.html'].map(name => join(root, name)) }
    }
  })
}

function picture (name: string): string {
  return `<img src="/${name}.png" alt="">`
}

/** Pictures that nothing can compress any more. */
async function writePhotos (directory: string): Promise<void> {
  await writeFiles(directory, {
    'index.html': page('Photos', `<h1>Photos</h1>${picture('light')}`),
    [`${HOSTILE}/index.html`]: page('2025', `<h1>2025</h1><a href="/">Photos</a>${picture('dark')}${picture('phone')}`),
    'style.css': `p, h1 { color: ${COLOR} }`
  })

  for (const name of ['light', 'dark', 'phone']) {
    await cp(join(ROOT, `docs/demo-${name}.png`), join(directory, `${name}.png`))
  }
}

async function writeFiles (directory: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true })
    await writeFile(join(directory, name), content)
  }
}
