import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkAddresses } from '../src/commands/gateway.ts'
import { leavesOf, newProgram } from './programs.ts'

const COMPOSE = join(import.meta.dirname, '../../../examples/shared-store/compose.yaml')
const OPTIONS = { listen: '--gateway', metrics: '--gateway-metrics', public: '--gateway-public' }

/** The command lines of `ipfsz` in the Compose file, as their words. */
function commandLines (): string[][] {
  const [, command = ''] = /^ {2}command: >-\n((?: {4}.*\n)+)/m.exec(readFileSync(COMPOSE, 'utf8')) ?? []
  const [, script = ''] = /sh -c '(.*)'/.exec(command.replaceAll(/\n? {4}/g, ' ')) ?? []

  return script.split('&&')
    .map(line => line.trim().replace(/^exec /, '').replaceAll('"', '').split(/\s+/))
    .filter(([name]) => name === 'ipfsz')
    .map(([, ...words]) => words)
}

it('starts daemons that the ports of the Compose file can reach, with options that the command takes', async () => {
  const parsed: Array<[name: string, options: Record<string, unknown>]> = []

  for (const words of commandLines()) {
    const program = newProgram()
    leavesOf(program).forEach(command => {
      command.action(() => { parsed.push([command.name(), command.opts()]) })
    })
    await program.parseAsync(words, { from: 'user' })
  }

  expect(parsed.map(([name]) => name)).toEqual(['init', 'daemon'])
  expect(parsed[0][1].store).toBe('$$STORE')
  const { gateway, gatewayPublic, gatewayMetrics } = parsed[1][1] as Record<string, string> & { gatewayPublic: boolean }
  const options = { listen: gateway, public: gatewayPublic, metrics: gatewayMetrics, fetch: false, log: false }

  expect(gateway).toMatch(/^0\.0\.0\.0:8080$/)
  expect(() => { checkAddresses(options, OPTIONS) }).not.toThrow()
  expect(() => { checkAddresses({ ...options, public: false }, OPTIONS) }).toThrow('--gateway-public')
})
