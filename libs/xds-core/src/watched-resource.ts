import { Answer, type Held } from './answer.ts';
import type { Content } from './dialect.ts';
import type { Nack } from './nack.ts';
import type { Subscription } from './subscription.ts';

/** An answer that was sent and neither accepted nor refused. */
export interface InFlight {
  readonly nonce: string;
  readonly version: string;
  readonly push: number;
  readonly sentAt: number;
  /** What the client holds once it accepts. */
  readonly target: Answer;
  readonly subscription: Subscription;
  readonly content: Pick<Content, 'resources' | 'removed' | 'fresh'>;
  /** Whether it holds only what was asked for, beside something that the client has refused. */
  readonly partial: boolean;
}

/** What a connection watches of one type, and how far the client has come. */
export class WatchedResource {
  readonly typeUrl: string;
  subscription: Subscription;
  /** What the client has accepted; unsubscribed resources may still be in it. */
  held: Held = Answer.empty;
  /** The subscription that `held` answered. */
  heldFor: Subscription | undefined;
  inFlight: InFlight | undefined;
  /** The last answer, where it counts as lost; the client may still accept it. */
  #lost: InFlight | undefined;
  /** What the client refused last; it is not sent again until the answer differs. */
  refused: Answer | undefined;
  /** Names that the next answer speaks of, whatever the client holds. */
  readonly asked = new Set<string>();
  /** Names whose state at the client is unknown, since an answer with them was refused or lost. */
  readonly uncertain = new Set<string>();
  /** Whether the next answer is sent even if it says nothing new. */
  mustAnswer = false;
  /** Whether the next answer holds all, since the client has dropped what it held. */
  resendAll = false;
  /** Whether the client goes on with what it has from an earlier stream, so that the first answer isn't pressing. */
  resumed = false;
  /** Whether the client may lack something: the answer is to be generated and compared. */
  due = true;
  /** Whether explicit names were ever asked for, after which no names means nothing rather than everything. */
  named = false;
  /** Hash of the answer that a reconnecting state-of-the-world client says it holds. */
  claimedHash = '';
  nonceSent = '';
  nonceAcked = '';
  versionSent = '';
  versionAcked = '';
  sentAt = 0;
  ackedAt = 0;
  nack: Nack | undefined;

  constructor(typeUrl: string, subscription: Subscription) {
    this.typeUrl = typeUrl;
    this.subscription = subscription;
  }

  /** The latest whole state that was sent. */
  get latest(): Held {
    return this.inFlight?.target ?? this.refused ?? this.held;
  }

  /** Whether the client must be answered, even if nothing changed. */
  get wanting(): boolean {
    return this.mustAnswer || this.asked.size > 0;
  }

  /** Whether the client must be answered at once, rather than when order suits. */
  get urgent(): boolean {
    return this.wanting && !this.resumed;
  }

  /** Names of which the next answer speaks though the client may hold them as they are; each once. */
  unsettledNames(): Iterable<string> {
    return this.uncertain.size === 0 ? this.asked : new Set([...this.asked, ...this.uncertain]);
  }

  ask(names: Iterable<string>): void {
    for (const name of names) this.asked.add(name);
    this.due = true;
  }

  resubscribe(subscription: Subscription): void {
    if (subscription === this.subscription) return;
    this.subscription = subscription;
    this.due = true;
    for (const name of this.uncertain) if (!subscription.includes(name)) this.uncertain.delete(name);
    if (this.uncertain.size === 0) this.refused = undefined;
  }

  /** Takes what a reconnecting client says it holds for an answer, if it is that. */
  recognize(answer: Answer): void {
    if (this.claimedHash === '' || this.claimedHash !== answer.hash) return;
    this.held = answer;
    this.claimedHash = '';
    this.mustAnswer = false;
  }

  sent(answer: InFlight): void {
    this.inFlight = answer;
    this.#lost = undefined;
    if (!answer.partial) this.refused = undefined;
    this.nonceSent = answer.nonce;
    this.versionSent = answer.version;
    this.sentAt = answer.sentAt;
    this.#answered();
  }

  /** The client needs nothing to hold this answer. */
  unchanged(answer: Answer): void {
    this.#answered();
    if (this.refused !== undefined || this.uncertain.size > 0) return;
    this.held = answer;
    this.heldFor = this.subscription;
  }

  acknowledge(at: number): InFlight | undefined {
    const accepted = this.inFlight ?? this.#lost;
    if (accepted === undefined) return undefined;
    this.#lost = undefined;
    this.inFlight = undefined;
    if (!accepted.partial) {
      this.held = accepted.target;
      this.heldFor = accepted.subscription;
      this.refused = undefined;
      this.uncertain.clear();
      this.nack = undefined;
    }
    this.nonceAcked = accepted.nonce;
    this.versionAcked = accepted.version;
    this.ackedAt = at;
    return accepted;
  }

  refuse(nack: Nack): InFlight | undefined {
    this.nack = nack;
    const refused = this.#giveUp();
    this.refused = this.uncertain.size === 0 ? undefined : (refused?.target ?? this.refused);
    return refused;
  }

  /** The answer in flight counts as lost. */
  lose(): void {
    this.#lost = this.#giveUp();
    this.due = true;
  }

  #giveUp(): InFlight | undefined {
    const given = this.inFlight;
    this.inFlight = undefined;
    for (const { name } of given?.content.resources ?? []) this.#doubt(name);
    for (const name of given?.content.removed ?? []) this.#doubt(name);
    return given;
  }

  #doubt(name: string): void {
    if (this.subscription.includes(name)) this.uncertain.add(name);
  }

  #answered(): void {
    this.asked.clear();
    this.mustAnswer = false;
    this.resendAll = false;
    this.resumed = false;
    this.claimedHash = '';
  }
}
