import { useData } from 'vitepress'
import theme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import './style.css'
import type { Theme } from 'vitepress'
import type { VNode } from 'vue'

const DEMO = './demo/index.html'

/** VitePress's own theme. Below the text of the playground, the demo. */
export default {
  extends: theme,

  Layout: {
    setup () {
      const { page } = useData()

      return () => h(theme.Layout, null, {
        'doc-after': () => page.value.relativePath === 'playground.md' ? playground() : []
      })
    }
  }
} satisfies Theme

function playground (): VNode {
  return h('div', { class: 'vp-doc' }, [
    h('p', h('a', { href: DEMO, target: '_blank' }, 'Open the demo in a tab of its own')),
    h('iframe', { class: 'demo', src: DEMO, title: 'The demo of IPFSz', onLoad: fit })
  ])
}

/** Make a frame as high as its page: a page that scrolls inside of another one is hard to use on a phone. */
function fit ({ target }: Event): void {
  const frame = target as HTMLIFrameElement
  const { body } = frame.contentDocument ?? {}

  if (body != null) {
    new ResizeObserver(() => { frame.style.height = `${body.scrollHeight + 2}px` }).observe(body)
  }
}
