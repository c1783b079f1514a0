import { readFile } from 'node:fs/promises'
import { describe, expect } from 'vitest'
import { commandPage } from '../../scripts/command-page.ts'
import { it } from './run-cli.ts'

const PACKAGE = new URL('../../packages/cli/', import.meta.url)
const MACROS = ['TH', 'SH', 'SS', 'PP', 'TP', 'B', 'EX', 'EE', 'RS', 'RE']

describe('the man page', () => {
  it('is where the package says, and describes every option that the help has', async ({ sandbox }) => {
    const { man, files } = JSON.parse(await readFile(new URL('package.json', PACKAGE), 'utf8')) as {
      man: string
      files: string[]
    }
    const page = await readFile(new URL(man, PACKAGE), 'utf8')

    expect(files).toContain(man.split('/')[0])

    for (const command of ['', 'add', 'gateway', 'pin ls', 'completion']) {
      const help = (await sandbox.run([...command.split(' ').filter(Boolean), '--help'])).stdout.toString()
      const options = help.match(/(?<=^ {2}(?:-\w, )?)--[\w-]+/gm) ?? []
      const usage = /(?<=^Usage: ).*/.exec(help)?.[0] ?? ''

      expect(options.length).toBeGreaterThan(0)
      expect(page).toContain(escape(usage))
      expect(options.filter(option => !page.includes(escape(option)))).toEqual([])
    }
  })

  it('uses only the macros of man(7)', async () => {
    const page = await readFile(new URL('man/ipfsz.1', PACKAGE), 'utf8')
    const used = new Set(page.match(/(?<=^[.'])\w*/gm))

    expect([...used].filter(macro => !MACROS.includes(macro))).toEqual([])
    expect(page).toMatch(/^\.TH IPFSZ 1 /)
  })
})

describe('docs/command.md', () => {
  it('is what the help says: node scripts/command-page.ts', async () => {
    expect(await readFile(new URL('../../docs/command.md', PACKAGE), 'utf8')).toBe(commandPage())
  })
})

function escape (line: string): string {
  return line.replaceAll('-', '\\-')
}
