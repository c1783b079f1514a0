import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a bundle may contain without terms for the rest of it. With a choice, such as `WTFPL OR ISC`, one is enough. */
const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'WTFPL',
  'Zlib'
])

interface Manifest {
  name: string
  version: string
  license?: string
  author?: string | { name?: string }
  repository?: string | { url?: string }
}

/**
 * The licences of packages, as one text. Packages with the same licence text share it. Many packages have no licence
 * file: for those it gives what their manifest says.
 *
 * @param directories - of installed packages
 * @throws {Error} a package has no licence, or none of PERMISSIVE
 */
export function licencesOf (directories: Iterable<string>): string {
  const byText = new Map<string, Set<string>>()

  for (const directory of directories) {
    const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest
    const text = textIn(directory) ?? NO_TEXT

    checkPermissive(manifest)
    byText.set(text, (byText.get(text) ?? new Set()).add(heading(manifest)))
  }

  return [...byText]
    .map(([text, headings]) => `${[...headings].toSorted().join('\n')}\n\n${text}`)
    .toSorted()
    .join(SEPARATOR)
}

/** In place of the text of packages without a licence file. The command is published with a file LICENSE-APACHE. */
const NO_TEXT = 'These packages contain no licence file. Their manifests name the licences above. LICENSE-APACHE has ' +
  'the text of Apache-2.0.'

/** Separates licences in a file. */
export const SEPARATOR = `\n\n${'-'.repeat(80)}\n\n`

/** The licence files of a package, with its notices. Of several licences to choose from, only the MIT one. */
function textIn (directory: string): string | undefined {
  const files = globSync('{licen[cs]e,LICEN[CS]E,copying,COPYING}*', { cwd: directory })
  const mit = files.filter(file => file.includes('MIT'))
  const notices = existsSync(join(directory, 'NOTICE')) ? ['NOTICE'] : []
  const texts = [...mit.length > 0 ? mit : files, ...notices].map(file => readFileSync(join(directory, file), 'utf8'))

  return texts.length === 0 ? undefined : texts.map(text => text.replaceAll('\r\n', '\n').trim()).join('\n\n')
}

function heading ({ name, version, license, author, repository }: Manifest): string {
  const by = typeof author === 'string' ? author : author?.name
  const from = typeof repository === 'string' ? repository : repository?.url

  return [`${name} ${version}: ${license}`, by, from].filter(Boolean).join(', ')
}

function checkPermissive ({ name, license = 'none' }: Manifest): void {
  const choices = license.replaceAll(/[()]/g, '').split(' OR ')

  if (!choices.some(choice => choice.split(' AND ').every(id => PERMISSIVE.has(id)))) {
    throw new Error(`${name} has the licence "${license}", which is not known to be permissive: do not bundle it`)
  }
}
