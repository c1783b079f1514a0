import { describe, expect, it } from 'vitest'
import { listenReason } from '../src/ports/listen-reasons.ts'
import { macPortOwner, windowsPortOwner } from '../src/ports/tool-port-owner.ts'
import { portOwner } from '../src/ports/port-owner.ts'
import type { RunTool } from '../src/ports/tool-port-owner.ts'

const PORT = 8080

/** Tools that print fixed texts, by the names of their programs. */
function fakeTools (texts: Record<string, string>): { run: RunTool, asked: string[] } {
  const asked: string[] = []

  return {
    asked,
    run: async (file, args) => {
      const text = Object.entries(texts).find(([name]) => file.endsWith(name))?.[1]
      asked.push([file.split(/[\\/]/).at(-1), ...args].join(' '))

      if (text == null) {
        throw new Error(`${file} exits with 1`)
      }

      return text
    }
  }
}

describe('the owner of a port', () => {
  it('is what the system says, unless that is this process', async () => {
    const owner = { pid: process.pid + 1, command: 'node' }

    await expect(portOwner('tcp', PORT, async () => owner)).resolves.toEqual(owner)
    await expect(portOwner('tcp', PORT, async () => ({ ...owner, pid: process.pid }))).resolves.toBeUndefined()
  })

  it('is not known if the system cannot be asked', async () => {
    await expect(portOwner('tcp', PORT, async () => { throw new Error('no such tool') })).resolves.toBeUndefined()
  })
})

describe('the owner of a port on macOS', () => {
  it('is the process that lsof lists, with its command', async () => {
    const { run, asked } = fakeTools({
      lsof: 'p412\nf23\nn127.0.0.1:8080\nf24\nn[::1]:8080\n',
      ps: '/usr/local/bin/node /usr/local/bin/ipfsz gateway --listen 127.0.0.1:8080\n'
    })

    await expect(macPortOwner('tcp', PORT, run))
      .resolves.toEqual({ pid: 412, command: 'node ipfsz gateway --listen 127.0.0.1:8080' })
    expect(asked).toEqual(['lsof -nP -iTCP:8080 -sTCP:LISTEN -Fpn', 'ps -o command= -p 412'])
  })

  it('is not one that is connected to the same port elsewhere', async () => {
    const { run } = fakeTools({
      lsof: 'p412\nf23\nn192.0.2.1:5000->192.0.2.7:8080\np413\nf7\nn*:8080\n',
      ps: 'x'
    })

    await expect(macPortOwner('udp', PORT, run)).resolves.toMatchObject({ pid: 413 })
  })

  it.for([
    ['two processes have it', 'p1\nn*:8080\np2\nn*:8080\n'],
    ['none has it', ''],
    ['lsof prints something else', 'lsof: WARNING\nn*:8080\n']
  ])('is not guessed if %s', async ([, lsof]) => {
    await expect(macPortOwner('tcp', PORT, fakeTools({ lsof, ps: 'x' }).run)).resolves.toBeUndefined()
  })
})

describe('the owner of a port on Windows', () => {
  const NETSTAT = [
    '',
    'Aktive Verbindungen',
    '',
    '  Proto  Lokale Adresse         Remoteadresse          Status           PID',
    '  TCP    0.0.0.0:18080          0.0.0.0:0              ABHÖREN          1',
    '  TCP    127.0.0.1:8080         0.0.0.0:0              ABHÖREN          5120',
    '  TCP    [::1]:8080             [::]:0                 ABHÖREN          5120',
    '  TCP    127.0.0.1:8080         127.0.0.1:50312        HERGESTELLT      9',
    '  UDP    0.0.0.0:8080           *:*                                    77'
  ].join('\r\n')

  it.for([['tcp', 5120], ['udp', 77]] as const)('is the process that netstat lists for %s', async ([protocol, pid]) => {
    const { run, asked } = fakeTools({
      'netstat.exe': NETSTAT,
      'tasklist.exe': `"node.exe","${pid}","Console","1","58.236 K"\r\n`
    })

    await expect(windowsPortOwner(protocol, PORT, run)).resolves.toEqual({ pid, command: 'node.exe' })
    expect(asked).toEqual(['netstat.exe -ano', `tasklist.exe /FI PID eq ${pid} /FO CSV /NH`])
  })

  it.for([
    ['two processes have it', `${NETSTAT}\r\n  TCP  0.0.0.0:8080  0.0.0.0:0  LISTENING  2`, '"a.exe","2"'],
    ['it has ended', NETSTAT, 'INFO: No tasks are running which match the specified criteria.'],
    ['none has it', '', '']
  ])('is not guessed if %s', async ([, netstat, tasklist]) => {
    const { run } = fakeTools({ 'netstat.exe': netstat, 'tasklist.exe': tasklist })

    await expect(windowsPortOwner('tcp', PORT, run)).resolves.toBeUndefined()
  })
})

describe('the reason for a busy port', () => {
  it('names the owner, or says how to find it', () => {
    expect(listenReason('EADDRINUSE', PORT, { pid: 12, command: 'node x' })).toContain('process 12 (node x)')
    expect(listenReason('EADDRINUSE', PORT)).toContain('Find it with')
  })
})
