/** A uuid v7, given by the controller. */
export type MessageId = string;

/** The id of the message that started the thread. */
export type ThreadId = string;

export type RoleName = string;

export type TypeName = string;
