import { type Call, type FormSchema, type Tool, tool } from '../../runtime/index.ts'

const form = (name: string, type: 'string' | 'boolean' = 'string'): FormSchema => ({
  type: 'object',
  properties: { [name]: { type } },
  required: [name],
})
const user = (text: string) => ({ role: 'user' as const, content: { type: 'text', text } })
const capital = { messages: [user('What is the capital of France?')], maxTokens: 100 }

function asksForm(description: string, ask: (call: Call, args: any) => Promise<string>): Tool<any> {
  return tool({ description, inputSchema: { type: 'object' }, call: (args, call) => ask(call, args) })
}

/** Asks whether it may go on: the state that the client carries in between is sealed. */
const confirm = asksForm('Asks for a confirmation.', async call => {
  await call.elicit({ key: 'confirm', message: 'May it go on?', requestedSchema: form('ok', 'boolean') })
  return 'state-ok'
})

/** Tools that ask the client something: by requests up to 2025-11-25, by their answers from 2026-07-28 on. */
export const askingTools: Record<string, Tool<any>> = {
  test_sampling: asksForm("Asks the client's model.", async (call, { prompt }) => {
    const { content } = await call.sample({ messages: [user(String(prompt))], maxTokens: 100 })
    return `LLM response: ${(content as { text?: string }).text}`
  }),
  test_elicitation: asksForm('Asks the person.', async (call, { message }) => {
    const answer = await call.elicit({
      message: String(message),
      requestedSchema: {
        type: 'object',
        properties: { username: { type: 'string' }, email: { type: 'string' } },
        required: ['username', 'email'],
      },
    })
    return `User response: ${JSON.stringify(answer)}`
  }),
  test_elicitation_sep1034_defaults: asksForm('Asks by a form with defaults.', async call => {
    const answer = await call.elicit({
      message: 'Please look through these',
      requestedSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', default: 'John Doe' },
          age: { type: 'integer', default: 30 },
          score: { type: 'number', default: 95.5 },
          status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
          verified: { type: 'boolean', default: true },
        },
      },
    })
    return `Elicitation completed: ${JSON.stringify(answer)}`
  }),
  test_elicitation_sep1330_enums: asksForm('Asks by a form of choices.', async call => {
    const titled = [1, 2, 3].map(n => ({ const: `value${n}`, title: `Option ${n}` }))
    const answer = await call.elicit({
      message: 'Please choose',
      requestedSchema: {
        type: 'object',
        properties: {
          untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
          titledSingle: { type: 'string', oneOf: titled },
          legacyEnum: {
            type: 'string',
            enum: ['opt1', 'opt2', 'opt3'],
            enumNames: ['Option One', 'Option Two', 'Option Three'],
          },
          untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
          titledMulti: { type: 'array', items: { anyOf: titled } },
        },
      },
    })
    return `Elicitation completed: ${JSON.stringify(answer)}`
  }),
  test_missing_capability: asksForm('Needs a client that lends its model.', async call => {
    await call.sample(capital)
    return 'Sampled.'
  }),
  test_input_required_result_elicitation: asksForm('Asks for a name.', async call => {
    const answer = await call.elicit({ key: 'user_name', message: 'What is your name?', requestedSchema: form('name') })
    return answer.action === 'accept' ? `Hello, ${answer.content.name}!` : 'Hello!'
  }),
  test_input_required_result_sampling: asksForm("Asks the client's model.", async call => {
    const { content } = await call.sample({ key: 'capital_question', ...capital })
    return `It is ${JSON.stringify(content)}`
  }),
  test_input_required_result_list_roots: asksForm('Asks for roots.', async call => {
    return `There are ${(await call.roots('client_roots')).length} roots`
  }),
  test_input_required_result_request_state: confirm,
  test_input_required_result_tampered_state: confirm,
  test_input_required_result_multiple_inputs: asksForm('Asks three things at once.', async call => {
    await Promise.all([
      call.elicit({ key: 'user_name', message: 'What is your name?', requestedSchema: form('name') }),
      call.sample({ key: 'greeting', messages: [user('Say hello')], maxTokens: 100 }),
      call.roots('client_roots'),
    ])
    return 'All three are there.'
  }),
  test_input_required_result_multi_round: asksForm('Asks twice, one after the other.', async call => {
    await call.elicit({ key: 'step1', message: 'What is your name?', requestedSchema: form('name') })
    await call.elicit({ key: 'step2', message: 'Which colour?', requestedSchema: form('color') })
    return 'Both are there.'
  }),
  test_input_required_result_capabilities: asksForm('Asks in a way that the client knows.', async call => {
    if (call.clientCapabilities.elicitation === undefined) await call.sample(capital)
    else await call.elicit({ message: 'What is your name?', requestedSchema: form('name') })
    return 'Asked.'
  }),
}
