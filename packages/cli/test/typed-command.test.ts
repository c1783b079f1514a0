import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { main } from '../src/main.ts'
import { asTyped, SUGGESTED, typedCommand } from '../src/terminal/typed-command.ts'
import { ioOf, leavesOf, newProgram } from './programs.ts'
import type { PassThrough } from 'node:stream'

const NPX = { npm_command: 'exec', npm_config_user_agent: 'npm/11.6.0 node/v24.1.0 linux x64 workspaces/false' }
const PNPM = { npm_config_user_agent: 'pnpm/10.20.0 npm/? node/v24.1.0 linux x64' }

describe('what the user types', () => {
  it.each([
    ['npx ipfsz', '/home/a/.npm/_npx/0f5d/node_modules/.bin/ipfsz', NPX],
    ['npx ipfsz', '/home/a/project/node_modules/.bin/ipfsz', NPX],
    ['npx ipfsz', 'C:\\a\\npm-cache\\_npx\\0f5d\\node_modules\\ipfsz\\bin\\ipfsz.js', NPX],
    ['pnpm dlx ipfsz', '/home/a/.cache/pnpm/dlx/6f1c/19a/node_modules/ipfsz/bin/ipfsz.js', PNPM],
    ['pnpm dlx ipfsz', '/home/a/.local/share/pnpm/store/v3/tmp/dlx-88/node_modules/ipfsz/bin/ipfsz.js', PNPM],
    ['yarn dlx ipfsz', '/tmp/xfs-1f/dlx-99/node_modules/ipfsz/bin/ipfsz.js', { npm_config_user_agent: 'yarn/4.9.0' }],
    ['bunx ipfsz', '/tmp/bunx-1000-ipfsz@latest/node_modules/ipfsz/bin/ipfsz.js', {}],
    // installed for all, and as a dependency whose directory is on the PATH
    ['ipfsz', '/usr/local/bin/ipfsz', {}],
    ['ipfsz', '/home/a/project/node_modules/.bin/ipfsz', {}],
    ['ipfsz', '/home/a/project/node_modules/.bin/ipfsz', { npm_command: 'run-script' }],
    ['ipfsz', '/home/a/dlx/project/node_modules/.bin/ipfsz', {}],
    // another program that npx runs passes on its variables
    ['ipfsz', '/usr/local/bin/ipfsz', NPX]
  ])('is %s for %s', (expected, script, env) => {
    expect(typedCommand(script, env)).toBe(expected)
  })
})

describe('a text with commands', () => {
  it('names each of them, and nothing else, as the user types it', () => {
    expect(asTyped('run ipfsz gc, or pipe into ipfsz add ("$(ipfsz add -Q a)")', 'npx ipfsz'))
      .toBe('run npx ipfsz gc, or pipe into npx ipfsz add ("$(npx ipfsz add -Q a)")')

    for (const text of [
      'this ipfsz only opens 1: use the ipfsz that made it', '"ipfsz add.txt" does not exist', 'see /a/ipfsz add',
      'npx ipfsz add', 'my-ipfsz add', 'ipfsz addition', 'ipfsz'
    ]) {
      expect(asTyped(text, 'npx ipfsz')).toBe(text)
    }
  })

  it('names the repo that the user has named, unless it names one itself', () => {
    expect(asTyped('the next ipfsz gc, or ipfsz pin rm CID', 'npx ipfsz', "'/a b'"))
      .toBe("the next npx ipfsz --repo '/a b' gc, or npx ipfsz --repo '/a b' pin rm CID")
    expect(asTyped('run ipfsz init --repo DIR --store PLACE', 'ipfsz', '/a'))
      .toBe('run ipfsz init --repo DIR --store PLACE')
    expect(asTyped('run ipfsz gc', 'ipfsz', '/a')).toBe('run ipfsz --repo /a gc')
  })

  it('knows every command', () => {
    const names = newProgram().commands.map(command => command.name()).filter(name => name !== 'complete')

    expect([...SUGGESTED].toSorted()).toEqual([...new Set([...names, 'help'])].toSorted())
  })
})

describe('run by npx, the command', () => {
  const io = { command: 'npx ipfsz' }
  const bare = new RegExp(`(?<!npx )ipfsz (?:${SUGGESTED.join('|')})\\b`, 'g')

  it('prints help whose lines can be typed', () => {
    const program = newProgram(200, io)

    for (const command of [program, ...leavesOf(program)]) {
      // lines are wrapped
      expect(command.helpInformation().replaceAll(/\s+/g, ' ').match(bare)).toBeNull()
      expect(command.helpInformation()).toMatch(/^Usage: npx ipfsz /)
    }
  })

  it.each([
    ['an unknown option', ['add', '--nope'], '(see npx ipfsz add --help)'],
    ['no daemon', ['--repo', '/nonexistent/repo', 'connect', '/ip4/127.0.0.1/tcp/1'], 'with npx ipfsz daemon'],
    ['a CID that is none', ['cat', 'nonsense', '--repo', '/nonexistent/repo'], 'npx ipfsz ']
  ])('suggests commands that can be typed after %s', async (_, args, suggested) => {
    const { stderr, ...streams } = ioOf(undefined, { ...io, env: { IPFSZ_BOOTSTRAP: 'none' } })
    const code = await main(['node', 'ipfsz', ...args], { ...streams, stderr })

    stderr.end()
    expect(code).not.toBe(0)
    expect(await text(stderr as PassThrough)).toContain(suggested)
  })
})
