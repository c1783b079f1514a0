import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')

/** A comment of whole lines, of which only those that a message may be in are left. */
const COMMENT = /^\s*(?:\/\/|\/?\*).*$/gm

const COMMANDS = 'add|blockstore|car|cat|daemon|gc|get|import|init|link|log|ls|migrate|name|originals|peers|pin|' +
  'repair|rm|verify'

/** An option, or a command of ipfsz. Options of Kubo come after its command. */
const OF_COMMAND = new RegExp(`(?<!ipfs [a-z ]*)(?<=['" \`])--[a-z][a-z-]+|\\bipfsz (?:${COMMANDS})\\b`, 'g')

it.each(['node', 'shared-store', 'gateway'])('messages of %s name no options and no commands', (name) => {
  const found = globSync(`packages/${name}/src/**/*.ts`, { cwd: ROOT }).flatMap(file => {
    const source = readFileSync(join(ROOT, file), 'utf8').replaceAll(COMMENT, '')

    return [...source.matchAll(OF_COMMAND)].map(([text]) => `${file}: ${text}`)
  })

  expect(found).toEqual([])
})
