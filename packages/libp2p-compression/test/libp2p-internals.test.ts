import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startNode } from './nodes.ts'
import type { ProtocolComponents } from '../src/index.ts'
import type { Libp2p } from '@libp2p/interface'

const manifest = new URL('../../../node_modules/libp2p/package.json', import.meta.url)
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }

function gone (method: string): string {
  return `libp2p ${version} does not call ${method} of its components: see docs/upstream.md`
}

async function startComponents (): Promise<{ node: Libp2p, components: ProtocolComponents }> {
  let components: ProtocolComponents | undefined
  const node = await startNode({ services: { test: (given: ProtocolComponents) => { components = given } } })

  onTestFinished(async () => { await node.stop() })

  if (components == null) {
    throw new Error('libp2p made no service')
  }

  return { node, components }
}

describe('the libp2p methods that compressProtocols replaces', () => {
  it.each(
    ['handle', 'unhandle', 'getMiddleware', 'getHandler'] as const
  )('include %s of the registrar', async method => {
    const { components } = await startComponents()

    expect(components.registrar[method], gone(`registrar.${method}`)).toBeTypeOf('function')
  })

  it('are called when a protocol is handled and unhandled', async () => {
    const { node, components: { registrar } } = await startComponents()
    const called: string[] = []
    registrar.handle = async () => { called.push('handle') }
    registrar.unhandle = async () => { called.push('unhandle') }

    await node.handle('/test/1.0.0', () => {})
    await node.unhandle('/test/1.0.0')

    expect(called, gone('registrar.handle and registrar.unhandle')).toEqual(['handle', 'unhandle'])
  })

  it('are called when libp2p opens a stream and looks up its middleware', async () => {
    const there = await startNode({ listen: '/ip4/127.0.0.1/tcp/0' })
    onTestFinished(async () => { await there.stop() })
    await there.handle('/test/1.0.0', stream => { void stream.close() })
    const { node, components: { registrar, connectionManager } } = await startComponents()
    const called: string[] = []
    const getMiddleware = registrar.getMiddleware.bind(registrar)
    const openStream = connectionManager.openStream.bind(connectionManager)
    registrar.getMiddleware = protocol => {
      called.push(`getMiddleware ${protocol}`)
      return getMiddleware(protocol)
    }
    connectionManager.openStream = async (...args) => {
      called.push('openStream')
      return openStream(...args)
    }

    await node.dialProtocol(there.getMultiaddrs(), '/test/1.0.0')

    const ours = called.filter(call => call === 'openStream' || call.endsWith('/test/1.0.0'))

    expect(ours, gone('openStream and getMiddleware')).toEqual(['openStream', 'getMiddleware /test/1.0.0'])
  })
})
