import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as errorClasses from '@ipfsz/node/errors'
import { troubleshootingPage } from '../../scripts/troubleshooting.ts'

const ROOT = join(import.meta.dirname, '../..')
const page = readFileSync(join(ROOT, 'docs/troubleshooting.md'), 'utf8')

/** What the page finds from Helia, not from here. */
const OF_HELIA = 'Could not load codec for 4151813'

/** Stands for what differs from case to case, or ends a part that comes from one place in the code. */
const PLACEHOLDER = /\b[A-Z][A-Z0-9-]*\b|[.:](?: |$)|"/

/** The sources, with the pieces of each message joined, and without the comments that quote them. */
const sources = globSync('packages/*/src/**/*.ts', { cwd: ROOT })
  .map(file => readFileSync(join(ROOT, file), 'utf8').replaceAll(/^ +\* # .*$/gm, '')
    .replaceAll(/['`]\s*\+\s*['`]/g, '').replaceAll("\\'", "'"))
  .join('\n')

/** The fixed parts of a message. */
function partsOf (message: string): string[] {
  return message.split(PLACEHOLDER).map(part => part.trim()).filter(part => /[a-z]/.test(part))
}

describe('the page on troubleshooting', () => {
  const messages = [...page.matchAll(/^### `(.*)`$/gm)].map(([, message]) => message)

  it('is what the advice of the command says: node scripts/troubleshooting.ts', () => {
    expect(page).toBe(troubleshootingPage())
  })

  it.each(messages.filter(message => message !== OF_HELIA))('quotes a message of the command: %s', (message) => {
    expect(partsOf(message).filter(part => !sources.includes(part))).toEqual([])
  })

  it('explains every error of the command', () => {
    const names = Object.values(errorClasses).flatMap(error => typeof error === 'function' ? [error.name] : [])

    expect(messages.length).toBeGreaterThan(90)
    expect(names.length).toBeGreaterThan(30)
    expect(names.filter(name => !page.includes(`\`${name}\``))).toEqual([])
  })
})
