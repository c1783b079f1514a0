/** The commands that messages and help suggest. A test compares them with the existing ones. */
export const SUGGESTED: readonly string[] = [
  'add', 'bench', 'blockstore', 'car', 'cat', 'cid', 'codecs', 'completion', 'config', 'connect', 'daemon', 'diff',
  'du', 'find', 'forget', 'gateway', 'gc', 'get', 'help', 'id', 'import', 'init', 'link', 'log', 'ls', 'migrate',
  'name', 'originals', 'peers', 'pin', 'providers', 'repair', 'rm', 'site', 'stat', 'stats', 'tree', 'verify',
  'version'
]

/** A command in a text. Not the end of a path, a URL or another word. */
const COMMAND = new RegExp(`(?<![\\w./@:"'-]|npx |dlx |bunx )ipfsz (?=(?:${SUGGESTED.join('|')})(?![\\w-]))`, 'g')

/**
 * What the user types to run this command: `ipfsz`, or with what a package manager that installs nothing needs before
 * it, such as `npx ipfsz`. The variables alone do not tell: what npx runs passes them on, for example to a shell.
 *
 * @param script - the path of the script that runs, as in `process.argv[1]`
 */
export function typedCommand (script: string, env: Readonly<Record<string, string | undefined>>): string {
  const path = script.replaceAll('\\', '/')
  const [manager] = (env.npm_config_user_agent ?? '').split('/')

  // an installed command is a link in a directory on the PATH, outside of any node_modules
  if (!path.includes('/node_modules/')) {
    return 'ipfsz'
  }

  if (path.includes('/bunx-')) {
    return 'bunx ipfsz'
  }

  if ((manager === 'pnpm' || manager === 'yarn') && /\/dlx[/-]/.test(path)) {
    return `${manager} dlx ipfsz`
  }

  return path.includes('/_npx/') || (manager === 'npm' && env.npm_command === 'exec') ? 'npx ipfsz' : 'ipfsz'
}

/**
 * A text with each command in it as the user types it.
 *
 * @param repo - a repo that the user named, quoted for a shell: without it, a suggested command would use another one
 */
export function asTyped (text: string, command = 'ipfsz', repo?: string): string {
  if (command === 'ipfsz' && repo == null) {
    return text
  }

  return text.replaceAll(COMMAND, (found: string, at: number) => {
    const namesRepo = /^\S+ --repo /.test(text.slice(at + found.length))

    return `${command} ${repo == null || namesRepo ? '' : `--repo ${repo} `}`
  })
}
