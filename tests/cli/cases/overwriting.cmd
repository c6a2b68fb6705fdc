# what is read is not written over, and what fails leaves files as they were
cp two.nest kept.nest
pluss simulate two.nest -D n=64 -o two.nest
echo "status $?"
ln -s two.nest link.nest
pluss simulate link.nest -D n=64 --svg two.nest
echo "status $?"
cmp two.nest kept.nest
pluss simulate two.nest -D n=64 -T 1 -o both --svg both
echo "status $?"
pluss simulate two.nest -D n=64 -T 1 --svg -
echo "status $?"
echo kept >out
pluss simulate two.nest -T 1 -o out
echo "status $?"
cat out
# through a link, with the mode that it has
chmod 640 out
ln -s out link
pluss simulate two.nest -D n=64 -T 1 --region first_part --csv -o link
echo "status $?"
stat -c '%F %a' link out
head -n 1 out
# a device is written into, and stays one
pluss simulate two.nest -D n=64 -T 1 --region first_part --csv -o /dev/null
echo "status $?"
stat -c '%F' /dev/null
pluss simulate two.nest -D n=64 -T 1 --region first_part --csv -o .
echo "status $?"
# what the shell opened stays open where it stands
{
    echo first
    pluss simulate two.nest -D n=64 -T 1 --region first_part --csv -o /dev/stdout
    echo last
} >stream
sed -n '1p;2p;$p' stream
ls -A
