/**
 * Makes the site work below any path, such as /ipfs/CID/ on a gateway: VitePress writes one path into all files.
 * It gets a placeholder. Pages then link to each other with relative paths, and their scripts get the path from
 * the address of the page.
 */
import { posix } from 'node:path'
import type { UserConfig } from 'vitepress'

/** Stands for the path of the site while it is built. */
export const BASE = '/-ipfsz-site-/'

/** Of VitePress's own Vite. */
type Plugin = NonNullable<NonNullable<UserConfig['vite']>['plugins']>[number]

const SITE_DATA = 'window.__VP_SITE_DATA__'
const SEARCH_INDEX = '/@localSearchIndexroot'

/** For the scripts. */
export function relocateScripts (): Plugin {
  return {
    name: 'ipfsz-site:relocate',
    enforce: 'pre',

    config: () => ({
      experimental: {
        renderBuiltUrl: (_, { ssr }) => ssr ? undefined : { relative: true }
      }
    }),

    transform (code, id, options) {
      if (options?.ssr === true) {
        return undefined
      }

      // of VitePress: from the path of a page to that of its script
      if (code.includes('import.meta.env.BASE_URL') && id.includes('/vitepress/dist/client/')) {
        return code.replaceAll('import.meta.env.BASE_URL', `${SITE_DATA}.base`)
      }

      if (id === SEARCH_INDEX) {
        const [, index] = /^export default (".*")$/s.exec(code.trim()) ?? []

        if (index == null) {
          throw new Error(`The search index is not what it was: ${code.slice(0, 100)}`)
        }

        return `export default ${index}.replaceAll('${BASE}', ${SITE_DATA}.base)`
      }

      return undefined
    }
  }
}

/**
 * For a page: returns its HTML with relative paths.
 *
 * @param page - as in `guide/start.md`
 */
export function relocatePage (html: string, page: string): string {
  const up = posix.relative(posix.dirname(page), '.')
  const root = up === '' ? './' : `${up}/`
  const data = quoted(`"base":"${BASE}"`)

  if (!html.includes(data)) {
    throw new Error(`${page} has no path of the site in its data`)
  }

  return html
    .replace(data, quoted('"base":"/"'))
    .replaceAll(`"${BASE}`, `"${root}`)
    // before the scripts of the page run
    .replace('</body>', `<script>${SITE_DATA}.base=new URL('${root}',location).pathname</script></body>`)
}

/** JSON as it stands in a string of a script. */
function quoted (json: string): string {
  return JSON.stringify(json).slice(1, -1)
}
