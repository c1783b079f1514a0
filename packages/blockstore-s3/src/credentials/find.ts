// Room: credentials of a store: from the environment, files, or the machine.
import { env } from 'node:process'
import { messageOf } from '@ipfsz/utils/message-of'
import { fromInstanceMetadata } from '@smithy/credential-provider-imds'
import { S3CredentialsError } from '../errors.ts'
import { readProfile } from './profile.ts'
import type { S3Credentials, S3CredentialsProvider } from '../contract.ts'

/** It would write to the console otherwise. */
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/**
 * Find credentials as the command `aws` does: in the environment, in a profile, from the container, from the instance.
 * A profile that is passed goes before the environment.
 *
 * @returns a provider for the place that has some
 */
export function findCredentials (profile: string | undefined): S3CredentialsProvider {
  // it keeps the last credentials, and extends them while the service cannot be reached
  const fromInstance = fromInstanceMetadata({ logger: SILENT, ec2MetadataV1Disabled: true })

  return async () => (profile == null ? fromEnvironment() : undefined) ??
    await fromProfile(profile) ??
    await fromRole(fromInstance)
}

async function fromProfile (name: string | undefined): Promise<S3Credentials | undefined> {
  const { credentials, problem } = await readProfile(name)

  if (problem != null) {
    throw new S3CredentialsError(problem)
  }

  return credentials
}

function fromEnvironment (): S3Credentials | undefined {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId = '',
    AWS_SECRET_ACCESS_KEY: secretAccessKey = '',
    AWS_SESSION_TOKEN: sessionToken = ''
  } = env

  return accessKeyId === '' || secretAccessKey === ''
    ? undefined
    : { accessKeyId, secretAccessKey, ...sessionToken === '' ? {} : { sessionToken } }
}

async function fromRole (fromInstance: S3CredentialsProvider): Promise<S3Credentials> {
  const inContainer = (env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI ?? env.AWS_CONTAINER_CREDENTIALS_FULL_URI) != null

  if (!inContainer && env.AWS_EC2_METADATA_DISABLED?.toLowerCase() === 'true') {
    throw new S3CredentialsError(`There are no credentials: ${PLACES}`)
  }

  try {
    return await (inContainer ? fromContainer : fromInstance)()
  } catch (cause) {
    throw new S3CredentialsError(`There are no credentials: ${PLACES}, and the role of this ${
      inContainer ? 'container' : 'instance'} provides none: ${describe(cause)}`, { cause })
  }
}

function describe (err: unknown): string {
  // its own message is about an older version of the service, which is never asked
  return err instanceof Error && err.name === 'InstanceMetadataV1FallbackError'
    ? 'no cloud metadata service was found'
    : messageOf(err)
}

/** As containers of ECS and pods of EKS have it, whose token is in a file that changes. */
async function fromContainer (): Promise<S3Credentials> {
  const { fromHttp } = await import('@aws-sdk/credential-provider-http')

  return fromHttp({ logger: SILENT, maxRetries: 2 })()
}

const PLACES = 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set, ~/.aws/credentials has none for the profile'
