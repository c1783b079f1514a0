/**
 * The page for addresses that do not exist. Hosts show it below any path, known or not, so it loads nothing, and finds
 * the site's path from its own address.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Names under which hosts look for it: web hosts, and gateways that do not know `_redirects`. */
const NAMES = ['404.html', 'ipfs-404.html']

/** For gateways with subdomains, and hosts with a DNSLink (specs.ipfs.tech/http-gateways/web-redirects-file). */
const REDIRECTS = '/* /404.html 404\n'

const LINKS = [
  ['index.html', 'What IPFSz is'],
  ['guide/start.html', 'Start: two machines share a file'],
  ['faq.html', 'Questions and answers'],
  ['troubleshooting.html', 'Troubleshooting by message'],
  ['docs.html', 'All documents']
]

const STYLE = `
  :root { color-scheme: light dark; }
  body { max-width: 40rem; margin: 4rem auto; padding: 0 1rem; font: 1rem/1.6 system-ui, sans-serif; }
  code { overflow-wrap: anywhere; }
`

/** On a gateway with paths, the site is below a CID or a name. Elsewhere it is in the nearest folder with this page. */
const SCRIPT = `
  const { pathname } = location
  const show = root => {
    for (const link of document.querySelectorAll('a')) link.href = root + link.getAttribute('href')
  }
  const find = async folder => {
    const up = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1)
    const found = up === '' ||
      await fetch(folder + '${NAMES[0]}', { method: 'HEAD' }).then(({ ok }) => ok, () => false)
    return found ? folder : find(up)
  }
  const [gateway] = /^\\/ip[fn]s\\/[^/]+\\//.exec(pathname) ?? []
  document.querySelector('code').textContent = pathname
  if (gateway != null) show(gateway)
  else find(pathname.slice(0, pathname.lastIndexOf('/') + 1)).then(show)
`

/** Write the page, and what sends gateways to it. */
export function writeNotFound (directory: string): void {
  for (const name of NAMES) {
    writeFileSync(join(directory, name), page())
  }

  writeFileSync(join(directory, '_redirects'), REDIRECTS)
}

function page (): string {
  const links = LINKS.map(([href, text]) => `<li><a href="${href}">${text}</a></li>`).join('\n')

  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>No such page | IPFSz</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>There is no such page</h1>
<p>Nothing is at <code>this address</code>. It may have moved: the pages below lead to all others.</p>
<ul>
${links}
</ul>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`
}
