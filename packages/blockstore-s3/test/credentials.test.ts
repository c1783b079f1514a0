import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { env } from 'node:process'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { listen } from '../../../test/support/listen.ts'
import { readPipe } from '../src/credentials/read-pipe.ts'
import { S3Objects } from '../src/index.ts'
import { BUCKET, fakeS3, refuse } from '../../../test/support/fake-s3.ts'
import type { S3Credentials, S3ObjectsInit } from '../src/index.ts'
import type { FakeS3 } from '../../../test/support/fake-s3.ts'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'

const before = { ...env }
let s3: FakeS3
let directory: string

beforeEach(async () => {
  s3 = await fakeS3()
  directory = await mkdtemp(join(tmpdir(), 'ipfsz-aws-'))

  for (const name of Object.keys(env).filter(name => name.startsWith('AWS_'))) {
    delete env[name]
  }

  env.AWS_SHARED_CREDENTIALS_FILE = join(directory, 'credentials')
  env.AWS_CONFIG_FILE = join(directory, 'config')
  // no test may ask the network for a role
  env.AWS_EC2_METADATA_DISABLED = 'true'
})

afterEach(async () => {
  for (const name of Object.keys(env).filter(name => name.startsWith('AWS_'))) {
    delete env[name]
  }

  Object.assign(env, before)
  await rm(directory, { recursive: true })
  await s3.close()
})

async function writeProfiles (files: { credentials?: string, config?: string }): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(directory, name), text)
  }
}

/** What the store is told of the credentials: key, region, token. */
async function use (init: Partial<S3ObjectsInit> = {}): Promise<[string, string, string | undefined]> {
  const objects = new S3Objects({ bucket: BUCKET, endpoints: [s3.origin], ...init })
  onTestFinished(() => { objects.close() })
  await objects.put('key', new Uint8Array(1))
  const headers = s3.seen.at(-1)?.headers
  const [, key, region] = /Credential=([^/]*)\/\d*\/([^/]*)\//.exec(headers?.authorization ?? '') ?? []

  return [key, region, headers?.['x-amz-security-token'] as string | undefined]
}

/** A service on loopback that gives out credentials. What it answers nothing to is unauthorized. */
async function startRole (
  answer: (request: string, headers: IncomingHttpHeaders) => string | undefined
): Promise<string> {
  const server = createServer(({ url = '', method = '', headers }, response) => {
    const text = answer(`${method} ${url}`, headers)
    response.writeHead(text == null ? 401 : 200).end(text)
  })
  const { port, close } = await listen(server)
  onTestFinished(close)

  return `http://127.0.0.1:${port}`
}

function role (accessKeyId: string, seconds = 3600): string {
  return JSON.stringify({
    Code: 'Success',
    LastUpdated: new Date().toISOString(),
    Type: 'AWS-HMAC',
    AccessKeyId: accessKeyId,
    SecretAccessKey: 'secret',
    Token: 'token',
    Expiration: new Date(Date.now() + seconds * 1000).toISOString()
  })
}

it('uses the environment', async () => {
  Object.assign(env, {
    AWS_ACCESS_KEY_ID: 'FROMENV', AWS_SECRET_ACCESS_KEY: 's', AWS_SESSION_TOKEN: 't', AWS_REGION: 'eu-1',
    AWS_ENDPOINT_URL_S3: s3.origin
  })

  expect(await use({ endpoints: undefined })).toEqual(['FROMENV', 'eu-1', 't'])
})

it('uses a profile: that of the environment, one that is named, or the default', async () => {
  await writeProfiles({
    credentials: '[default]\naws_access_key_id = DEFAULT\naws_secret_access_key = s\n' +
      '[one]\naws_access_key_id = ONE\naws_secret_access_key = s\naws_session_token = t\n',
    config: `[default]\nregion = eu-1\n[profile one]\nregion = eu-2\n[profile two]\nendpoint_url = ${s3.origin}\n` +
      'aws_access_key_id = TWO\naws_secret_access_key = s\n'
  })

  expect(await use()).toEqual(['DEFAULT', 'eu-1', undefined])
  expect(await use({ profile: 'one' })).toEqual(['ONE', 'eu-2', 't'])
  expect(await use({ profile: 'two', endpoints: undefined })).toEqual(['TWO', 'us-east-1', undefined])
  env.AWS_PROFILE = 'one'
  expect(await use()).toEqual(['ONE', 'eu-2', 't'])
  Object.assign(env, { AWS_ACCESS_KEY_ID: 'FROMENV', AWS_SECRET_ACCESS_KEY: 's' })
  expect(await use()).toEqual(['FROMENV', 'eu-2', undefined])
  expect(await use({ profile: 'two' })).toEqual(['TWO', 'us-east-1', undefined])
})

describe.skipIf(process.platform === 'win32')('a profile in a named pipe', () => {
  beforeEach(async () => {
    await promisify(execFile)('mkfifo', [join(directory, 'credentials')])
  })

  it('is used once somebody has written it, for all requests', async () => {
    const used = Promise.all([use(), use()])
    await writeProfiles({ credentials: '[default]\naws_access_key_id = PIPE\naws_secret_access_key = s\n' })

    expect((await used).map(String)).toEqual(['PIPE,us-east-1,', 'PIPE,us-east-1,'])
  })

  it('is refused if nobody writes to it', async () => {
    await expect(readPipe(join(directory, 'credentials'), 50)).rejects.toMatchObject({ name: 'S3CredentialsError' })
  })

  it('is no longer waited for once the request is aborted', async () => {
    const objects = new S3Objects({ bucket: BUCKET, endpoints: [s3.origin] })
    onTestFinished(() => { objects.close() })
    const ended = new AbortController()
    const getting = objects.get('key', { signal: ended.signal })
    ended.abort()

    await expect(getting).rejects.toMatchObject({ name: 'AbortError' })
    expect(s3.seen).toEqual([])
  })
})

it('takes the region of a profile whose credentials come from elsewhere', async () => {
  await writeProfiles({ config: '[profile sso]\nsso_session = x\nregion = eu-3\n' })
  env.AWS_PROFILE = 'sso'

  expect(await use({ credentials: { accessKeyId: 'PASSED', secretAccessKey: 's' } })).toEqual([
    'PASSED', 'eu-3', undefined
  ])
})

// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-security-credentials.html
it('uses the role of the instance, with a token of IMDSv2', async () => {
  const path = '/latest/meta-data/iam/security-credentials/'
  delete env.AWS_EC2_METADATA_DISABLED
  env.AWS_EC2_METADATA_SERVICE_ENDPOINT = await startRole((request, headers) => {
    if (request === 'PUT /latest/api/token') {
      const seconds = Number(headers['x-aws-ec2-metadata-token-ttl-seconds'])

      // one that was sent on by a proxy gets none
      return seconds >= 1 && seconds <= 21_600 && headers['x-forwarded-for'] == null ? 'imds-token' : undefined
    }

    return headers['x-aws-ec2-metadata-token'] !== 'imds-token'
      ? undefined
      : request === `GET ${path}` ? 'my-role' : request === `GET ${path}my-role` ? role('INSTANCE') : undefined
  })

  expect(await use()).toEqual(['INSTANCE', 'us-east-1', 'token'])
})

it('says that there is no role where nothing hands out tokens for it', async () => {
  delete env.AWS_EC2_METADATA_DISABLED
  env.AWS_EC2_METADATA_SERVICE_ENDPOINT = await startRole(() => undefined)
  const using = use()

  await expect(using).rejects.toMatchObject({ name: 'S3CredentialsError' })
  await expect(using).rejects.not.toThrow('v1 fallback')
})

// https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
it('uses the role of the container', async () => {
  const url = await startRole(request => request === 'GET /creds?id=1' ? role('CONTAINER') : undefined)
  env.AWS_CONTAINER_CREDENTIALS_FULL_URI = `${url}/creds?id=1`

  expect(await use()).toEqual(['CONTAINER', 'us-east-1', 'token'])
})

it('uses the role of a pod, with the token that is in its file at the time', async () => {
  const file = join(directory, 'token')
  let valid = 'first'
  const url = await startRole((request, { authorization }) =>
    request === 'GET /v1/credentials' && authorization === valid ? role(`POD-${valid}`) : undefined)
  env.AWS_CONTAINER_CREDENTIALS_FULL_URI = `${url}/v1/credentials`
  env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE = file

  for (valid of ['first', 'second']) {
    await writeFile(file, valid)
    expect(await use()).toEqual([`POD-${valid}`, 'us-east-1', 'token'])
  }
})

it('sends the token of a container to no host of the internet without TLS', async () => {
  env.AWS_CONTAINER_CREDENTIALS_FULL_URI = 'http://192.0.2.1/creds'
  env.AWS_CONTAINER_AUTHORIZATION_TOKEN = 'HUSH'

  await expect(use()).rejects.toMatchObject({ name: 'S3CredentialsError', message: expect.stringContaining('HTTPS') })
})

it.each([
  ['nothing', {}, {}],
  ['a profile that is missing', { profile: 'none' }, {}],
  ['a profile without keys', { profile: 'bare' }, { config: '[profile bare]\nregion = eu-1\n' }],
  ['a profile of another kind', { profile: 'sso' }, { config: '[profile sso]\nsso_session = x\n' }],
  ['a secret with a line break', { credentials: { accessKeyId: 'A', secretAccessKey: 'HUSH\n' } }, {}],
  ['a provider that fails', { credentials: async () => { throw new Error('down') } }, {}]
])('refuses %s, by name and without asking the store', async (_, init, files) => {
  await writeProfiles(files)
  const using = use(init)

  await expect(using).rejects.toMatchObject({ name: 'S3CredentialsError' })
  await expect(using).rejects.not.toThrow('HUSH')
  expect(s3.seen).toHaveLength(0)
})

it('fetches credentials anew before they expire, and once for all requests', async () => {
  let now = Date.now()
  let fetched = 0
  const credentials = async (): Promise<S3Credentials> => ({
    accessKeyId: `KEY${++fetched}`, secretAccessKey: 's', expiration: new Date(now + 3_600_000)
  })
  const objects = new S3Objects({ bucket: BUCKET, endpoints: [s3.origin], credentials, now: () => now })
  onTestFinished(() => { objects.close() })
  const keys = (): Array<string | undefined> => s3.seen.splice(0).map(({ headers }) =>
    /Credential=(\w*)/.exec(headers.authorization ?? '')?.[1])

  await Promise.all([objects.stat('a'), objects.stat('b')])
  expect(new Set(keys())).toEqual(new Set(['KEY1']))
  now += 3_400_000
  await objects.stat('a')
  expect(keys()).toEqual(['KEY2'])
})

it('uses credentials to their end if no others can be fetched', async () => {
  let now = Date.now()
  let fetched = 0
  const objects = new S3Objects({
    bucket: BUCKET,
    endpoints: [s3.origin],
    now: () => now,
    credentials: async () => {
      if (++fetched > 1) {
        throw new Error('down')
      }

      return { accessKeyId: 'KEY', secretAccessKey: 's', expiration: new Date(now + 3_600_000) }
    }
  })
  onTestFinished(() => { objects.close() })

  await objects.stat('a')
  now += 3_500_000
  await objects.stat('a')
  now += 200_000
  await expect(objects.stat('a')).rejects.toMatchObject({ name: 'S3CredentialsError', cause: { message: 'down' } })
})

it('fetches credentials anew when the store says that they have expired', async () => {
  let fetched = 0
  s3.faults.push(refuse(400, 'ExpiredToken'))

  expect(await use({
    credentials: async () => ({ accessKeyId: `KEY${++fetched}`, secretAccessKey: 's' })
  })).toEqual(['KEY2', 'us-east-1', undefined])
})

it.for([
  { code: 'InvalidAccessKeyId', title: 'of AWS and Ceph' },
  { code: 'AccessDenied', title: 'of Garage' },
  { code: undefined, title: 'without a code, as to HEAD' }
])('goes on with other keys of the profile when the store refuses the first ones, $title', async ({ code }) => {
  await writeProfiles({ credentials: '[default]\naws_access_key_id = OLD\naws_secret_access_key = s\n' })
  const objects = new S3Objects({ bucket: BUCKET, endpoints: [s3.origin], attempts: 1 })
  onTestFinished(() => { objects.close() })
  await objects.put('key', new Uint8Array(1))
  await writeProfiles({ credentials: '[default]\naws_access_key_id = NEW\naws_secret_access_key = s\n' })
  await objects.put('key', new Uint8Array(1))
  const refuseOld = code == null
    ? (response: ServerResponse): void => { response.writeHead(403).end() }
    : refuse(403, code)
  s3.faults.push(refuseOld, refuseOld)
  await Promise.all(['a', 'b'].map(async key => objects.stat(key)))
  await objects.stat('c')

  expect(s3.seen.map(({ headers }) => /Credential=(\w*)/.exec(headers.authorization ?? '')?.[1]))
    .toEqual(['OLD', 'OLD', 'OLD', 'OLD', 'NEW', 'NEW', 'NEW'])
})

it('sends nothing again that the store refuses while the keys are the same, or cannot be read', async () => {
  await writeProfiles({ credentials: '[default]\naws_access_key_id = KEY\naws_secret_access_key = s\n' })
  const objects = new S3Objects({ bucket: BUCKET, endpoints: [s3.origin] })
  onTestFinished(() => { objects.close() })
  const refused = { name: 'S3ResponseError', status: 403 }

  s3.faults.push(refuse(403, 'AccessDenied'))
  await expect(objects.put('key', new Uint8Array(1))).rejects.toMatchObject(refused)
  await rm(join(directory, 'credentials'))
  s3.faults.push(refuse(403, 'AccessDenied'))
  await expect(objects.put('key', new Uint8Array(1))).rejects.toMatchObject(refused)
  await objects.put('key', new Uint8Array(1))

  expect(s3.seen).toHaveLength(3)
})
