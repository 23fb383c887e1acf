// What only servers with templates or prompts need.

export { completes, completionHandler } from './completion.ts'
export { promptFeature } from './prompts.ts'
export { compileUriTemplate } from './uri-template.ts'
