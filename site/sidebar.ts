import { TITLES } from '../bench/report/report.ts'
import type { DefaultTheme } from 'vitepress'

/**
 * All pages that people look for, by what they want.
 *
 * @param pages - of the site, as in `api/@ipfsz/core.md`
 */
export function sidebar (pages: readonly string[]): DefaultTheme.SidebarItem[] {
  const api = pages.filter(page => page.startsWith('api/@')).toSorted()
    .map(page => page.replace(/\.md$/, '')).map(page => ({ text: page.slice('api/'.length), link: `/${page}` }))
  const figures = Object.entries(TITLES).filter(([name]) => pages.includes(`benchmarks/${name}.md`))
    .map(([name, text]) => ({ text, link: `/benchmarks/${name}` }))

  return [
    ...PAGES,
    { text: 'Benchmarks', link: '/benchmarks', collapsed: true, items: figures },
    { text: 'API', link: '/api/', collapsed: true, items: api },
    ...PROJECT
  ]
}

const PAGES: DefaultTheme.SidebarItem[] = [
  {
    text: 'Guides',
    items: [
      { text: 'Start', link: '/guide/start' },
      { text: 'Playground', link: '/playground' },
      { text: 'Which package do I need?', link: '/guide/which-package' },
      { text: 'Add and read files', link: '/guide/add-and-read-files' },
      { text: 'In a dApp', link: '/guide/use-in-a-dapp' },
      { text: 'Read files in any page', link: '/guide/service-worker' },
      { text: 'Publish a static site', link: '/guide/site' },
      { text: 'With pinning services and Kubo', link: '/guide/with-kubo' },
      { text: 'Archives and datasets', link: '/guide/archives-and-datasets' },
      { text: 'Databases and tables', link: '/guide/datasets' },
      { text: 'Read in Python', link: '/guide/python' },
      { text: 'Run a gateway', link: '/gateway' },
      { text: 'Halve a node\'s disk', link: '/guide/compress-blocks-at-rest' },
      { text: 'Run a daemon and share', link: '/guide/run-a-daemon-and-share' },
      { text: 'Grow past one machine', link: '/guide/grow-past-one-machine' },
      { text: 'Back up and repair', link: '/guide/back-up-and-repair' },
      { text: 'Link original CIDs', link: '/guide/link-original-cids' },
      { text: 'Serve originals', link: '/guide/serve-originals' }
    ]
  },
  {
    text: 'Questions',
    items: [
      { text: 'FAQ', link: '/faq' },
      { text: 'Troubleshooting', link: '/troubleshooting' },
      { text: 'Security', link: '/security' },
      { text: 'Limits', link: '/limits' }
    ]
  },
  {
    text: 'Reference',
    items: [
      { text: 'All commands', link: '/command' },
      { text: 'The command', link: '/packages/cli' },
      { text: 'Codecs', link: '/codecs' },
      { text: 'Format', link: '/format' },
      { text: 'How nodes share a store', link: '/shared-store' }
    ]
  }
]

const PROJECT: DefaultTheme.SidebarItem[] = [
  {
    text: 'Project',
    items: [
      { text: 'All documents', link: '/docs' },
      { text: 'Architecture', link: '/architecture' },
      { text: 'Decisions', link: '/decisions' },
      { text: 'Contributing', link: '/contributing' },
      { text: 'Changelog', link: '/changelog' }
    ]
  }
]
