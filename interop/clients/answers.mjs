// What the user and the model behind the client answer when they are asked.

export const capabilities = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: { listChanged: true },
};

const forms = {
  'What shall it be?': { name: 'May Day', guests: 7, outside: true, dish: 'pie' },
  'Are you sure?': { sure: true },
  'Read the diary?': { sure: true },
  'Shall it be signed?': { sure: true },
};

export const handlers = {
  'elicitation/create': (params) => {
    if (params.mode === 'url') {
      if (params.url !== 'https://example.com/pay') throw new Error(`asked to open ${params.url}`);
      return { action: 'accept' };
    }
    if (params.message.startsWith('Remove ')) {
      const keep = params.message.includes('Robinson Crusoe');
      return keep ? { action: 'decline' } : { action: 'accept', content: { confirm: true, reason: 'damaged' } };
    }
    const content = forms[params.message];
    if (content === undefined) throw new Error(`asked ${params.message}`);
    return { action: 'accept', content };
  },
  'sampling/createMessage': (params) => {
    const { text } = [params.messages[0].content].flat()[0];
    if (text !== 'What rhymes with feast?' || params.systemPrompt !== 'One word.' || params.maxTokens !== 20 || params.temperature !== 0.5) {
      throw new Error(`asked ${JSON.stringify(params)}`);
    }
    return { role: 'assistant', model: 'rhymer', content: { type: 'text', text: 'beast' } };
  },
  'roots/list': () => ({
    roots: [{ uri: 'file:///home', name: 'home' }, { uri: 'file:///work', name: 'work' }],
  }),
};
