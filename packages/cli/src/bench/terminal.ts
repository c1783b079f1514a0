import { styleText } from 'node:util'

/** What stdout can show. */
export interface Terminal {
  /** Characters per line. */
  readonly width: number
  /** Whether it can show more than ASCII. */
  readonly unicode: boolean
  readonly colours: boolean
}

export type Style = Parameters<typeof styleText>[0]

const DEFAULT_WIDTH = 80

/** Finds out what stdout can show, from the stream and the environment. */
export function terminalOf (
  stdout: { isTTY?: boolean, columns?: number },
  env: Readonly<Record<string, string | undefined>>,
  platform: string
): Terminal {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || ''
  const dumb = env.TERM === 'dumb'

  return {
    // some terminals report 0
    width: stdout.columns || DEFAULT_WIDTH,
    // Windows does not set these variables, and can show Unicode
    unicode: !dumb && (platform === 'win32' || /utf-?8/i.test(locale)),
    colours: stdout.isTTY === true && !dumb && !env.NO_COLOR
  }
}

/** Style text, if the terminal shows colours. */
export function colour (style: Style, text: string, { colours }: Terminal): string {
  return colours ? styleText(style, text, { validateStream: false }) : text
}
