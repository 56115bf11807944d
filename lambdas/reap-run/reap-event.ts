/** The forms in which an execution's end reaches the reaper: from EventBridge at once, and from the delaying queues. */

/** "Step Functions Execution Status Change", as far as it is read here. */
export interface ExecutionStatusEvent {
  readonly detail: { readonly stateMachineArn: string; readonly name: string };
}

export interface QueuedEvents {
  readonly Records: readonly { readonly body: string }[];
}

export type ReapEvent = ExecutionStatusEvent | QueuedEvents;

/** A look that comes after a delay: by then what was told to go has had its time. */
export function isLaterLook(event: ReapEvent): event is QueuedEvents {
  return 'Records' in event;
}

export function parseReapEvents(event: ReapEvent): { stateMachineArn: string; name: string }[] {
  const events = isLaterLook(event)
    ? event.Records.map(({ body }) => JSON.parse(body) as ExecutionStatusEvent)
    : [event];
  return events.map(({ detail }) => {
    if (typeof detail?.stateMachineArn !== 'string' || typeof detail.name !== 'string') {
      throw new Error(`event: must have detail.stateMachineArn and detail.name, got ${JSON.stringify(detail)}`);
    }
    return { stateMachineArn: detail.stateMachineArn, name: detail.name };
  });
}
