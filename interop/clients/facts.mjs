// What a program finds out, for the test that has started it.

export class Facts {
  all = {};

  // note keeps what f returns under a name, or the error that it throws.
  async note(name, f) {
    if (name in this.all) throw new Error(`two facts are called ${name}`);
    try {
      this.all[name] = (await f()) ?? null;
    } catch (error) {
      this.all[name] = errorOf(error);
    }
  }

  print() {
    process.stdout.write(JSON.stringify(this.all) + '\n');
  }
}

// errorOf is what a user of an SDK sees of an error.
export function errorOf(error) {
  const fact = { error: error.message };
  if (error.code !== undefined) fact.code = error.code;
  if (error.data?.status !== undefined) fact.status = error.data.status;
  return fact;
}

// Heard collects what the client is told, in order.
export class Heard {
  #all = [];
  #waiting = [];

  add(what) {
    this.#all.push(what);
    this.#waiting = this.#waiting.filter(({ n, resolve }) => {
      if (this.#all.length < n) return true;
      resolve(this.#all.slice());
      return false;
    });
  }

  // wait returns what has been heard as soon as there is enough of it.
  wait(n) {
    if (this.#all.length >= n) return this.#all.slice();
    return within(`hear ${n} times`, new Promise((resolve) => this.#waiting.push({ n, resolve })));
  }

  // now returns what has been heard so far.
  now() {
    return this.#all.slice();
  }
}

// within gives up waiting after a time that nothing here takes.
export function within(what, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: nothing for 20 s`)), 20_000);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// until waits for a condition that comes true without saying so.
export async function until(what, condition) {
  for (const begun = Date.now(); !condition(); ) {
    if (Date.now() - begun > 20_000) throw new Error(`${what}: not for 20 s`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
