pluss --help; pluss help simulate; pluss cc --help; pluss help compare; pluss nests -h; pluss machine --help; pluss run --help
