/**
 * Writes the ONNX protobuf: exactly the messages a training graph needs (ModelProto, GraphProto, NodeProto,
 * TensorProto, ValueInfoProto), in the field numbers of onnx.proto. It reads nothing and knows no operator.
 */

import { basename } from 'node:path'

/** Element types by their ONNX name and number (onnx.proto TensorProto.DataType). */
export const elementType = { float32: 1, int32: 6, int64: 7, bool: 9, float16: 10, float64: 11, bfloat16: 16 } as const
export type DType = keyof typeof elementType

export type Attribute =
  | { readonly int: number }
  | { readonly float: number }
  | { readonly ints: readonly number[] }
  | { readonly string: string }

export interface OnnxNode {
  readonly name: string
  readonly op: string
  /** Empty for the standard operator set. */
  readonly domain: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  readonly attributes: Readonly<Record<string, Attribute>>
}

/**
 * Where an initializer's bytes are: in the model itself, or in a file (little-endian, row-major). The model names the file
 * only; its folder is given to the session, because onnxruntime refuses absolute locations.
 */
export type TensorBytes =
  | { readonly raw: Uint8Array }
  | { readonly file: string; readonly offset: number; readonly length: number }

export interface OnnxInitializer {
  readonly name: string
  readonly dtype: DType
  readonly shape: readonly number[]
  readonly bytes: TensorBytes
}

export interface OnnxValue {
  readonly name: string
  readonly dtype: DType
  readonly shape: readonly number[]
}

export interface OnnxModel {
  readonly nodes: readonly OnnxNode[]
  readonly initializers: readonly OnnxInitializer[]
  readonly inputs: readonly OnnxValue[]
  readonly outputs: readonly OnnxValue[]
}

const OPSET = 17
const CONTRIB_OPSET = 1
const IR_VERSION = 8

const varintField = 0
const bytesField = 2
const fixed32Field = 5

/** A growing protobuf message. Nested messages are written as finished byte strings. */
class Message {
  private bytes = new Uint8Array(256)
  private length = 0

  private reserve(extra: number): void {
    if (this.length + extra <= this.bytes.length) return
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.length + extra))
    larger.set(this.bytes.subarray(0, this.length))
    this.bytes = larger
  }

  private varint(value: number): void {
    this.reserve(10)
    // Negative int64 attributes (axis -1) take the ten-byte two's complement form.
    let rest = value < 0 ? BigInt.asUintN(64, BigInt(value)) : BigInt(value)
    while (rest > 127n) {
      this.bytes[this.length++] = Number(rest & 127n) | 128
      rest >>= 7n
    }
    this.bytes[this.length++] = Number(rest)
  }

  int(field: number, value: number): this {
    this.varint((field << 3) | varintField)
    this.varint(value)
    return this
  }

  float(field: number, value: number): this {
    this.varint((field << 3) | fixed32Field)
    this.reserve(4)
    new DataView(this.bytes.buffer).setFloat32(this.length, value, true)
    this.length += 4
    return this
  }

  raw(field: number, value: Uint8Array): this {
    this.varint((field << 3) | bytesField)
    this.varint(value.length)
    this.reserve(value.length)
    this.bytes.set(value, this.length)
    this.length += value.length
    return this
  }

  text(field: number, value: string): this {
    return this.raw(field, new TextEncoder().encode(value))
  }

  message(field: number, value: Message): this {
    return this.raw(field, value.finish())
  }

  finish(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }
}

function attributeMessage(name: string, attribute: Attribute): Message {
  const message = new Message().text(1, name)
  if ('int' in attribute) return message.int(3, attribute.int).int(20, 2)
  if ('float' in attribute) return message.float(2, attribute.float).int(20, 1)
  if ('string' in attribute) return message.text(4, attribute.string).int(20, 3)
  for (const value of attribute.ints) message.int(8, value)
  return message.int(20, 7)
}

function nodeMessage(node: OnnxNode): Message {
  const message = new Message()
  for (const input of node.inputs) message.text(1, input)
  for (const output of node.outputs) message.text(2, output)
  message.text(3, node.name).text(4, node.op)
  for (const [name, attribute] of Object.entries(node.attributes)) message.message(5, attributeMessage(name, attribute))
  return node.domain === '' ? message : message.text(7, node.domain)
}

function tensorMessage({ name, dtype, shape, bytes }: OnnxInitializer): Message {
  const message = new Message()
  for (const dim of shape) message.int(1, dim)
  message.int(2, elementType[dtype]).text(8, name)
  if ('raw' in bytes) return message.raw(9, bytes.raw)
  const entry = (key: string, value: string) => new Message().text(1, key).text(2, value)
  return message
    .message(13, entry('location', basename(bytes.file)))
    .message(13, entry('offset', String(bytes.offset)))
    .message(13, entry('length', String(bytes.length)))
    .int(14, 1)
}

function valueMessage({ name, dtype, shape }: OnnxValue): Message {
  const dims = new Message()
  for (const dim of shape) dims.message(1, new Message().int(1, dim))
  const tensorType = new Message().int(1, elementType[dtype]).message(2, dims)
  return new Message().text(1, name).message(2, new Message().message(1, tensorType))
}

/** The bytes of a complete `.onnx` model (opset 17 with the `com.microsoft` operator set). */
export function encodeModel(model: OnnxModel): Uint8Array {
  const graph = new Message()
  for (const node of model.nodes) graph.message(1, nodeMessage(node))
  graph.text(2, 'recompense')
  for (const initializer of model.initializers) graph.message(5, tensorMessage(initializer))
  for (const input of model.inputs) graph.message(11, valueMessage(input))
  for (const output of model.outputs) graph.message(12, valueMessage(output))
  const operatorSet = (domain: string, version: number) => new Message().text(1, domain).int(2, version)
  return new Message()
    .int(1, IR_VERSION)
    .text(2, 'recompense')
    .message(7, graph)
    .message(8, operatorSet('', OPSET))
    .message(8, operatorSet('com.microsoft', CONTRIB_OPSET))
    .finish()
}
