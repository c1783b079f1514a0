/**
 * The script of the page that stands for each page of a published site until its worker runs. Bundled by
 * scripts/bundle-command.ts, with `LoaderConfig` in front of it.
 */
import type { LoaderConfig } from './site-config.ts'

/** How often a page may be loaded again within ten seconds: more is a loop. */
const MAX_LOADS = 3
const LOOP_TIME = 10_000
const LOADS = 'ipfsz-loads'

/** After how long a worker that does not come is explained, in milliseconds. */
const PATIENCE = 30_000

const { ipfszSite: { worker } } = globalThis as unknown as { ipfszSite: LoaderConfig }

function element (name: string, text: string): HTMLElement {
  const created = document.createElement(name)
  created.textContent = text

  return created
}

function link (href: string, text = href): HTMLElement {
  const created = element('a', text) as HTMLAnchorElement
  created.href = href

  return created
}

/** Show why the site cannot be shown, and what to do. */
function explain (title: string, text: string, ...links: HTMLElement[]): void {
  document.querySelector('main')?.replaceChildren(
    element('h1', title),
    element('p', text),
    ...links.map(link => {
      const line = element('p', '')
      line.append(link)

      return line
    })
  )
  document.body.className = 'shown'
}

function retry (): HTMLElement {
  const button = element('button', 'Try again')
  button.addEventListener('click', () => {
    try {
      sessionStorage.removeItem(LOADS)
    } catch {
      // the browser lets this page store nothing
    }

    location.reload()
  })

  return button
}

/** Whether a host is an IP address, of version 4 or 6. */
function isAddress (host: string): boolean {
  return /^[\d.]+(?::\d+)?$|^\[/.test(host)
}

/** Whether the first part of a host name can be this (RFC 1035, section 2.3.4). */
function isLabel (name: string): boolean {
  return /^[a-z0-9-]{1,63}$/.test(name)
}

/** All paths of such a gateway are one origin: a worker there would be that of every site. */
function explainPathGateway (): void {
  const [, namespace, name, rest = '/'] = /^\/(ip[fn]s)\/([^/]+)(\/.*)?$/.exec(location.pathname) ?? []
  const isDomain = namespace === 'ipns' && name.includes('.')
  // the dots of a domain become hyphens (specs.ipfs.tech/http-gateways/subdomain-gateway)
  const label = isDomain ? name.replaceAll('-', '--').replaceAll('.', '-') : name
  const end = `${rest}${location.search}${location.hash}`
  const host = location.host.replace(/^(?:127\.0\.0\.1|\[::1\])(?=:|$)/, 'localhost')
  // addresses have no subdomains
  const hosts = [...isAddress(host) ? [] : [[location.protocol, host]], ['https:', 'dweb.link']]
  const urls = [
    ...isDomain ? [`https://${name}${end}`] : [],
    ...isLabel(label) ? hosts.map(([protocol, host]) => `${protocol}//${label}.${namespace}.${host}${end}`) : []
  ]

  explain(
    'This address cannot show the site',
    'The site is stored compressed and needs its own subdomain, but this gateway uses one address for all sites. ' +
      `Open it at ${urls.length > 0 ? 'one of these, if the gateway has subdomains:' : 'a gateway with subdomains.'}`,
    ...urls.map(url => link(url))
  )
}

/** Say that nothing comes, after a while. What comes later is shown all the same. */
function watch (): ReturnType<typeof setTimeout> {
  return setTimeout(() => {
    explain(
      'The gateway does not respond',
      `TimeoutError: the loader of the site did not arrive within ${PATIENCE / 1000} seconds. It may still arrive.`,
      retry()
    )
  }, PATIENCE)
}

function isLoop (): boolean {
  const now = Date.now()
  const before = (sessionStorage.getItem(LOADS) ?? '').split(',').map(Number).filter(time => now - time < LOOP_TIME)

  sessionStorage.setItem(LOADS, [...before, now].join(','))

  return before.length >= MAX_LOADS
}

/** Register the worker, and load the page again as soon as it answers. */
async function start (): Promise<void> {
  if (isLoop()) {
    throw new Error('The service worker is running, but does not respond')
  }

  const registration = await navigator.serviceWorker.register(worker)
  const starting = registration.active ?? registration.waiting ?? registration.installing

  await new Promise<void>((resolve, reject) => {
    const check = (): void => {
      if (registration.active != null) {
        resolve()
      } else if (starting?.state === 'redundant') {
        reject(new Error('The service worker could not be installed'))
      }
    }

    starting?.addEventListener('statechange', check)
    check()
  })

  location.reload()
}

if (/^\/ip[fn]s\//.test(location.pathname)) {
  explainPathGateway()
} else if ('serviceWorker' in navigator) {
  const timer = watch()

  start().catch((err: Error) => {
    clearTimeout(timer)
    explain('The site could not be loaded', `${err.name}: ${err.message}`, retry())
  })
} else {
  explain(
    'This browser cannot show the site here',
    'The site is stored compressed and needs service workers. Browsers disable them on pages without https, and some ' +
      'disable them in private windows.',
    link(location.href.replace(/^http:/, 'https:'))
  )
}
