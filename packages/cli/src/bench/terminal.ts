import { styleText } from 'node:util'

/** What stdout shows. */
export interface Terminal {
  /** Characters in a line. */
  readonly width: number
  /** Whether it shows more than ASCII. */
  readonly unicode: boolean
  readonly colours: boolean
}

export type Style = Parameters<typeof styleText>[0]

const DEFAULT_WIDTH = 80

/** What is known of stdout from it and from the environment. */
export function terminalOf (stdout: { isTTY?: boolean, columns?: number }, env: Readonly<Record<string, string | undefined>>, platform: string): Terminal {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || ''
  const dumb = env.TERM === 'dumb'

  return {
    // some terminals say 0
    width: stdout.columns || DEFAULT_WIDTH,
    // Windows has no such variables, and shows all of it
    unicode: !dumb && (platform === 'win32' || /utf-?8/i.test(locale)),
    colours: stdout.isTTY === true && !dumb && !env.NO_COLOR
  }
}

export function paint (style: Style, text: string, { colours }: Terminal): string {
  return colours ? styleText(style, text, { validateStream: false }) : text
}
