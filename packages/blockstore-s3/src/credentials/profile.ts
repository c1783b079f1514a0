import { env } from 'node:process'
import { getProfileName, parseKnownFiles } from '@smithy/core/config'
import { S3CredentialsError } from '../errors.ts'
import type { S3Credentials } from '../contract.ts'

/** What we use of a profile in the files of AWS. */
export interface Profile {
  credentials?: S3Credentials
  region?: string
  endpoint?: string
}

/** Settings of profiles whose credentials the SDK of AWS fetches, and we do not. */
const ELSEWHERE = ['role_arn', 'sso_session', 'sso_start_url', 'credential_process', 'web_identity_token_file']

/**
 * Read a profile of `~/.aws/credentials` and `~/.aws/config`, or of `$AWS_SHARED_CREDENTIALS_FILE` and
 * `$AWS_CONFIG_FILE`.
 *
 * @param name - `$AWS_PROFILE` or `default` if it is missing
 * @throws {S3CredentialsError} a profile is named, and is not there or has no keys
 */
export async function readProfile (name: string | undefined): Promise<Profile> {
  const profile = getProfileName({ profile: name })
  const isNamed = name != null || (env.AWS_PROFILE ?? '') !== ''
  const settings = (await parseKnownFiles({ profile, ignoreCache: true }))[profile]
  const {
    aws_access_key_id: accessKeyId,
    aws_secret_access_key: secretAccessKey,
    aws_session_token: sessionToken,
    region,
    endpoint_url: endpoint
  } = settings ?? {}

  if (isNamed && settings == null) {
    throw new S3CredentialsError(`The profile ${profile} is not in ~/.aws/credentials or ~/.aws/config`)
  }

  const elsewhere = ELSEWHERE.find(key => settings?.[key] != null)

  if (isNamed && accessKeyId == null && elsewhere != null) {
    throw new S3CredentialsError(`The profile ${profile} has ${elsewhere}, which is not supported: pass a provider ` +
      'of @aws-sdk/credential-providers as `credentials`, or use `aws configure export-credentials --format env`')
  }

  return {
    ...accessKeyId != null && secretAccessKey != null
      ? { credentials: { accessKeyId, secretAccessKey, sessionToken } }
      : {},
    ...region == null ? {} : { region },
    ...endpoint == null ? {} : { endpoint }
  }
}
