import { globSync } from 'node:fs'
import { dirname } from 'node:path'
import { defineConfig } from 'vitepress'
import { linkPages } from '../links.ts'
import { pageOf, SOURCES } from '../pages.ts'
import { BASE, relocatePage, relocateScripts } from '../relocate.ts'
import { searchText } from '../search-text.ts'
import { sidebar } from '../sidebar.ts'

const ROOT = dirname(dirname(import.meta.dirname))
const IGNORED = ['**/node_modules/**']
const FILES = globSync(SOURCES, { cwd: ROOT, exclude: IGNORED })
const PAGES = new Map(FILES.map(file => [pageOf(file), file]))

export default defineConfig({
  srcDir: '..',
  outDir: 'dist',
  cacheDir: '../node_modules/.cache/ipfsz-site',
  base: BASE,
  srcExclude: globSync('**/*.md', { cwd: ROOT, exclude: IGNORED }).filter(file => !FILES.includes(file)),
  rewrites: Object.fromEntries(FILES.map(file => [file, pageOf(file)])),
  title: 'IPFSz',
  description: 'Stores files on IPFS in compressed form and returns their original bytes',
  head: [['link', { rel: 'icon', href: `${BASE}demo/icon.svg` }]],
  transformHtml: (html, _, { page }) => relocatePage(html, page),
  transformPageData: ({ relativePath }) => (
    relativePath === 'playground.md'
      ? { frontmatter: { aside: false, prev: false, next: false, pageClass: 'playground' } }
      : undefined
  ),
  markdown: {
    // the anchors that GitHub gives to headings
    anchor: { slugify: slug },
    config: markdown => { linkPages(markdown, PAGES) }
  },
  themeConfig: {
    logo: '/demo/icon.svg',
    nav: [
      { text: 'Start', link: '/guide/start' },
      { text: 'Playground', link: '/playground' },
      { text: 'FAQ', link: '/faq' },
      { text: 'API', link: '/api/' }
    ],
    sidebar: sidebar([...PAGES.keys()]),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: { _render: searchText }
    }
  },
  vite: {
    plugins: [relocateScripts()],
    build: { chunkSizeWarningLimit: 2000 }
  }
})

function slug (text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-')
}
