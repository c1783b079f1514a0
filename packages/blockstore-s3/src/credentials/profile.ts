import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { env } from 'node:process'
import { externalDataInterceptor, getHomeDir, getProfileName, parseKnownFiles } from '@smithy/core/config'
import { readPipe } from './read-pipe.ts'
import type { S3Credentials } from '../contract.ts'

/** What we use of a profile in the files of AWS. */
export interface Profile {
  credentials?: S3Credentials
  region?: string
  endpoint?: string
  /** Why it has no credentials, if it is named and should have some. */
  problem?: string
}

/** Settings of profiles whose credentials the SDK of AWS fetches, and we do not. */
const ELSEWHERE = ['role_arn', 'sso_session', 'sso_start_url', 'credential_process', 'web_identity_token_file']

/**
 * Read a profile of `~/.aws/credentials` and `~/.aws/config`, or of `$AWS_SHARED_CREDENTIALS_FILE` and
 * `$AWS_CONFIG_FILE`.
 *
 * @param name - `$AWS_PROFILE` or `default` if it is missing
 * @throws {S3CredentialsError} a file is a pipe to which nobody writes
 */
export async function readProfile (name: string | undefined): Promise<Profile> {
  const profile = getProfileName({ profile: name })
  await readPipes()
  const isNamed = name != null || (env.AWS_PROFILE ?? '') !== ''
  const settings = (await parseKnownFiles({ profile, ignoreCache: true }))[profile]
  const {
    aws_access_key_id: accessKeyId,
    aws_secret_access_key: secretAccessKey,
    aws_session_token: sessionToken,
    region,
    endpoint_url: endpoint
  } = settings ?? {}

  const hasKeys = accessKeyId != null && secretAccessKey != null

  return {
    ...hasKeys ? { credentials: { accessKeyId, secretAccessKey, sessionToken } } : {},
    ...!hasKeys && isNamed ? { problem: problemOf(profile, settings) } : {},
    ...region == null ? {} : { region },
    ...endpoint == null ? {} : { endpoint }
  }
}

/**
 * Read the files that are pipes, such as those of a shell's `<(command)`, in place of the library: it would wait for a
 * writer in a thread, which no signal ends. What a pipe had is kept, as nobody writes it twice.
 */
async function readPipes (): Promise<void> {
  const files = externalDataInterceptor.getFileRecord()
  const home = getHomeDir()
  const paths = [
    env.AWS_SHARED_CREDENTIALS_FILE || join(home, '.aws', 'credentials'),
    env.AWS_CONFIG_FILE || join(home, '.aws', 'config')
  ].map(path => path.replace(/^~\//, `${home}/`))

  await Promise.all(paths.map(async path => {
    const isPipe = await stat(path).then(stats => stats.isFIFO(), () => false)

    if (!isPipe) {
      delete files[path]
      return
    }

    // the library takes it from here. Once for all requests: the bytes of a pipe go to one reader
    files[path] ??= readPipe(path).catch((err: unknown) => {
      delete files[path]
      throw err
    })
    await files[path]
  }))
}

function problemOf (profile: string, settings: Readonly<Record<string, string | undefined>> | undefined): string {
  if (settings == null) {
    return `The profile ${profile} is not in ~/.aws/credentials or ~/.aws/config`
  }

  const elsewhere = ELSEWHERE.find(key => settings[key] != null)

  return elsewhere == null
    ? `The profile ${profile} has no aws_access_key_id, or no aws_secret_access_key`
    : `The profile ${profile} has ${elsewhere}, which is not supported: pass a provider of ` +
      '@aws-sdk/credential-providers as `credentials`, or use `aws configure export-credentials --format env`'
}
