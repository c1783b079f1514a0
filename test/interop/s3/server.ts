import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { S3ObjectsInit } from '@ipfsz/blockstore-s3'
import type { ChildProcess } from 'node:child_process'

const PROGRAM = 'ipfsz-s3'

/** An S3 server on a port of the loopback interface. */
export interface S3Server {
  endpoint: string
  child: ChildProcess
}

/** @throws if the server is missing, with how to build it */
export async function startS3 (): Promise<S3Server> {
  const child = spawn(PROGRAM, { stdio: ['pipe', 'pipe', 'inherit'] })

  const failed = once(child, 'error').then(([cause]) => {
    throw new Error(`${PROGRAM} is not on the PATH: run \`npm run s3\`, which builds it with Go`, { cause })
  })
  const [endpoint] = await Promise.race([once(createInterface(child.stdout), 'line'), failed])

  return { endpoint, child }
}

export async function stopS3 ({ child }: S3Server): Promise<void> {
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}

/** The options of a store in a bucket there. The server accepts any credentials. */
export function storeAt (endpoint: string, bucket: string): S3ObjectsInit {
  return { bucket, endpoints: [endpoint], credentials: { accessKeyId: 'test', secretAccessKey: 'test' }, attempts: 1 }
}
