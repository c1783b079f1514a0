import type { Sandbox } from '../run-cli.ts'

/** What begins an item of a help text: two spaces and its term. More lines of it are further to the right. */
const ITEM = /^ {2}(?=\S)/m
/** What an option takes, and what it is if it is left out. */
const VALUES = /(?:choices|default): [^)]*/g
/** Not of this command alone. */
const OF_ALL = new Set(['Global options:', 'Examples:'])

/**
 * The arguments, commands and options of every command, without the words that explain them.
 *
 * @param path - of a command, whose help names those below it
 */
export async function allHelp (
  { run }: Pick<Sandbox, 'run'>,
  path: readonly string[] = []
): Promise<Record<string, string[]>> {
  const { stdout } = await run([...path, '--help'])
  const [usage, , ...sections] = stdout.toString().trimEnd().split('\n\n')
  const told = sections.filter(section => path.length === 0 || !OF_ALL.has(headingOf(section)))
    .filter(section => headingOf(section) !== 'Examples:')
  const items = itemsOf(told)
  const help: Record<string, string[]> = { [usage.replace('Usage: ', '')]: items.map(withoutWords) }

  if (usage.endsWith(' [command]')) {
    // the settings of `ipfsz config` are no commands
    const names = itemsOf(told.filter(section => headingOf(section) !== 'Settings:'))
      .map(item => /^\w+/.exec(item)?.[0])
      .filter(name => name != null && name !== 'help')

    for (const name of names) {
      Object.assign(help, await allHelp({ run }, [...path, String(name)]))
    }
  }

  return help
}

function itemsOf (sections: readonly string[]): string[] {
  return sections.flatMap(section => section.split(ITEM).slice(1))
}

function headingOf (section: string): string {
  return section.slice(0, section.indexOf('\n'))
}

function withoutWords (item: string): string {
  const [term, ...words] = item.split(/ {2,}|\n/)
  const values = words.join(' ').replaceAll(/\s+/g, ' ').match(VALUES) ?? []

  return [term.trim(), ...values.map(value => value.trim())].join('; ')
}
