printf '\177ELF\002\001\001junk' >broken.o
for file in wrong.nest broken.o binary missing.o .; do pluss nests $file; echo "status $?"; done
pluss predict wrong.nest; echo "status $?"
pluss nests two.nest --region third_part; echo "status $?"
pluss predict two.nest --region third_part; echo "status $?"
