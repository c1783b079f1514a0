import { afterAll, beforeAll, beforeEach, vi } from 'vitest'
import { startS3, stopS3 } from './server.ts'
import type { S3Server } from './server.ts'

/**
 * Run an S3 server for all tests of a file, and give them its credentials in the environment.
 *
 * @returns the endpoint of the server, once it runs
 */
export function useS3 (): () => string {
  let server: S3Server

  beforeAll(async () => { server = await startS3() })
  afterAll(async () => stopS3(server))
  beforeEach(() => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')

    return () => { vi.unstubAllEnvs() }
  })

  return () => server.endpoint
}
