/**
 * Passwords and tokens in what is refused, or cannot be reached, are printed nowhere: messages end in logs.
 *
 * @module-tag slow
 */
import { describe, expect } from 'vitest'
import { createProgram } from '../../packages/cli/dist/program/program.js'
import { it } from './run-cli.ts'
import type { Io } from '../../packages/cli/dist/io.js'

const CID = 'bafkreifzjut3te7nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'

const FORMS = [
  'http://user:s3cr3t@127.0.0.1:9/', 'http://s3cr3t@127.0.0.1:9', 'http://127.0.0.1:9/?token=s3cr3t',
  'http://127.0.0.1:9/?k=s3cr3t', 'http://127.0.0.1:9/#s3cr3t', 'ftp://u:s3cr3t@127.0.0.1/', 'S3://AKIA:s3cr3t@bkt/p',
  '//u:s3cr3t@127.0.0.1', 's3:AKIA:s3cr3t@bkt', 's3://bkt/p?secret=s3cr3t', 's3://bkt/p?s3cr3t', 's3://AKIA%3As3cr3t%40bkt',
  'user:s3cr3t@127.0.0.1:9', 'HTTP://U:a/s3cr3t@127.0.0.1:9', 'http%3A%2F%2Fu%3As3cr3t%40host', 'http://AKIA:s3cr3t/',
  '/dns4/u:s3cr3t@localhost/tcp/9', '/ip4/127.0.0.1/tcp/9/p2p/u:s3cr3t@x', '/ip4/127.0.0.1/tcp/9/http?token=s3cr3t'
]

/** What else a command needs that has an option to try. */
const REST: Readonly<Record<string, readonly string[]>> = {
  add: ['FILE'], import: [CID], connect: [], providers: [CID], id: [], peers: [], 'name resolve': ['localhost.'],
  'name publish': [CID], find: ['*', CID], init: ['--repo', 'NEW'], gateway: ['--fetch'], daemon: []
}

/** Each option of each command that takes a URL or an address. */
function optionsOf (
  command: ReturnType<typeof createProgram>,
  names: readonly string[] = []
): Array<[command: string, option: string]> {
  const own = command.options
    .filter(({ flags }) => /<(?:url|address|multiaddr|place|host)>/.test(flags))
    .map(({ long }): [string, string] => [names.join(' '), String(long)])

  return [...own, ...command.commands.flatMap(below => optionsOf(below, [...names, below.name()]))]
}

const OPTIONS = optionsOf(createProgram({} as Io))

/** Arguments in place of options, and variables. */
const OTHERS: ReadonlyArray<[string[], string?]> = [
  [['migrate', 'FORM', 'NEW']], [['migrate', 'REPO', 'FORM']], [['connect', 'FORM']], [['cat', 'FORM']],
  [['du', 'FORM']], [['add', 'FORM']], [['add', 'FILE', 'FORM']], [['stats', '--repo', 'FORM']],
  [['bench', 'FORM']],
  [['get', CID, '--offline', '-o', 'FORM/x']], [['car', 'import', 'FORM']], [['stats'], 'IPFSZ_PATH'],
  [['name', 'resolve', 'FORM']], [['FORM']], [['stats', 'FORM']],
  [['cat', CID], 'IPFSZ_GATEWAYS'], [['cat', CID], 'IPFSZ_ROUTERS'], [['cat', CID], 'IPFSZ_BOOTSTRAP'],
  [['daemon'], 'IPFSZ_BOOTSTRAP']
]

const CASES: ReadonlyArray<readonly [string[], string?]> = [
  ...OPTIONS.map(([command, option]): [string[]] =>
    [[...command.split(' '), ...REST[command] ?? [CID], option, 'FORM']]),
  ...OTHERS
]

describe('a secret in what is named', { concurrent: true, timeout: 30_000 }, () => {
  it('is looked for in every option with a URL', () => {
    expect(OPTIONS.length).toBeGreaterThan(20)
  })

  it.for(CASES.map(([args, variable]) => ({ args, text: args.join(' '), variable: variable ?? 'no variable' })))(
    'is not printed by ipfsz $text, and $variable', async ({ args, variable }, { sandbox }) => {
      const file = await sandbox.write('file', Buffer.from('some bytes'))
      await sandbox.run(['init'])
      const stop = AbortSignal.timeout(20_000)

      // what begins with a slash is the path of a directory there
      const forms = FORMS.filter(form => !/migrate|--store|du/.test(args[0] + args.at(-2)) || !form.startsWith('/'))

      for (const [i, form] of forms.entries()) {
        const words: Readonly<Record<string, string>> = { FILE: file, NEW: `${file}-new`, REPO: sandbox.repo }
        const named = args.map(word => words[word] ?? word.replace('FORM', () => form))

        const { code, stdout, stderr } = await sandbox.run([...i % 2 === 0 ? ['--json'] : [], '--verbose', ...named], {
          signal: stop,
          env: { [variable]: form, AWS_EC2_METADATA_DISABLED: 'true' }
        })

        expect(`${code} ${form} ${stdout} ${stderr}`).toMatch(/^[12] /)
        expect(`${form}: ${`${stdout}${stderr}`.includes('s3cr3t') ? stderr : ''}`).toBe(`${form}: `)
      }
    }
  )
})
