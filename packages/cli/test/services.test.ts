import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { leavesOf, newProgram } from './programs.ts'

const SERVICES = join(import.meta.dirname, '../../../examples/service')

/** The words of the command that a unit of systemd or an agent of launchd starts. */
function wordsOf (file: string): string[] {
  const text = readFileSync(join(SERVICES, file), 'utf8')
  const [, line = ''] = /^ExecStart=(.*)$/m.exec(text) ?? []
  const [, list = ''] = /<key>ProgramArguments<\/key>\s*<array>(.*?)<\/array>/s.exec(text) ?? []

  return line === '' ? Array.from(list.matchAll(/<string>(.*?)<\/string>/g), ([, word]) => word) : line.split(' ')
}

it.each(globSync('*.{service,plist}', { cwd: SERVICES }))('%s starts a command that there is', async file => {
  const [env, name, ...words] = wordsOf(file)
  const program = newProgram(undefined, { env: { IPFSZ_PATH: '/nowhere' } })
  const started: string[] = []
  leavesOf(program).forEach(command => { command.action(() => { started.push(command.name()) }) })
  await program.parseAsync(words, { from: 'user' })

  expect([env, name]).toEqual(['/usr/bin/env', 'ipfsz'])
  expect(started).toEqual([file.includes('daemon') ? 'daemon' : 'gateway'])
})
