import { withConfig } from './site-config.ts'
import type { LoaderConfig } from './site-config.ts'

/** Nothing is shown for a second, so that nothing flashes up where the worker starts faster. */
const STYLE = ':root{color-scheme:light dark}' +
  'body{font:1rem/1.5 system-ui,sans-serif;margin:15vh auto;max-width:36rem;' +
  'padding:0 1.25rem;animation:show 0s 1s both;overflow-wrap:anywhere}body.shown{animation:none}' +
  '@keyframes show{from{visibility:hidden}to{visibility:visible}}h1{font-size:1.375rem}'

/**
 * The page that stands for each page of a published site until its worker runs. The same bytes at every path.
 *
 * @param title - of the site
 * @param script - of the loader
 */
export function loaderPage (title: string, config: LoaderConfig, script: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeText(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main><p>Loading ...</p></main>
<noscript>
<style>main{display:none}</style>
<p>${escapeText(title)} is stored compressed on IPFS. It needs JavaScript.</p>
</noscript>
<script>${withConfig(config, script).replaceAll('</', '<\\/')}</script>
</body>
</html>
`
}

function escapeText (text: string): string {
  return text.replaceAll(/&(?![a-z0-9#]+;)/gi, '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
